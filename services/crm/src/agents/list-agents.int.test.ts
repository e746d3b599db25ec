import { randomUUID } from 'node:crypto';
import { type Agent, createAgent, getAgent, listAgents, type RequestOf } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Query = RequestOf<typeof listAgents>['query'];
type List = { data: Agent[]; total: number; page: number; limit: number };

const create = (storeId: string, priority: number, more = {}) => {
  const conditions = [{ condition_type: 'lead_status', operator: '=', value: 'lost' }] as const;
  const body = { name: `P${priority}`, priority, condition_groups: [{ group_index: 0, conditions: [...conditions] }] };
  return crm.rpc.call(createAgent, { body: { ...body, ...more } }, testContext({ storeId }));
};
const list = async (storeId: string, query: Query = {}): Promise<List & { cursor: string | undefined }> => {
  const { body, headers } = await crm.rpc.forward(listAgents, { query }, testContext({ storeId }));
  return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
};

test('the list has the complete active agents of the store, by priority and then id', async () => {
  const storeId = randomUUID();
  const late = await create(storeId, 9);
  const first = await create(storeId, 1);
  const second = await create(storeId, 1);
  await create(storeId, 0, { is_active: false });
  await create(randomUUID(), 0);
  expect(await list(storeId)).toEqual({ data: [first, second, late], total: 3, page: 1, limit: 50, cursor: undefined });
});

test('pages and cursors both give every agent once, with the exact total', async () => {
  const storeId = randomUUID();
  const made: Agent[] = [];
  for (const priority of [4, 2, 2, 2, 1]) made.push(await create(storeId, priority));
  const ids = made.sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id)).map(({ id }) => id);

  const byPage = await Promise.all([1, 2, 3].map((page) => list(storeId, { page, limit: 2 })));
  expect(byPage.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
  const walked = [await list(storeId, { limit: 2 })];
  for (let cursor = walked[0]?.cursor; cursor; cursor = walked.at(-1)?.cursor) {
    walked.push(await list(storeId, { limit: 2, cursor }));
  }
  expect(walked.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
  expect(walked.map(({ total, page }) => [total, page])).toEqual([1, 2, 3].map((page) => [5, page]));
});

test.each<[string, Query]>([
  ['a limit that is too high', { limit: 201 }],
  ['page 0', { page: 0 }],
  ['an invalid cursor', { cursor: 'x' }],
  ['page and cursor together', { cursor: 'x', page: 2 }],
  ['an unknown parameter', { is_active: false } as Query],
])('%s is rejected', async (_, query) => {
  await expect(list(randomUUID(), query)).rejects.toMatchObject({ code: 'validation_failed' });
});

test('an inactive agent can be read by its id, but not by another store', async () => {
  const storeId = randomUUID();
  const agent = await create(storeId, 1, { is_active: false });
  const read = (store: string, agentId: string) =>
    crm.rpc.call(getAgent, { params: { agentId } }, testContext({ storeId: store }));
  expect(await read(storeId, agent.id)).toEqual(agent);
  await expect(read(randomUUID(), agent.id)).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(read(storeId, randomUUID())).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(read(storeId, '7')).rejects.toMatchObject({ code: 'validation_failed' });
});

test('row-level security hides agents and their conditions from a statement that names no store', async () => {
  await create(randomUUID(), 1);
  const context = testContext();
  for (const name of ['agents', 'condition_groups', 'conditions']) {
    expect(await crm.database.read(context, (sql) => sql`select 1 from ${sql(name)}`)).toHaveLength(0);
  }
});
