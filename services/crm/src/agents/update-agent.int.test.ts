import { randomUUID } from 'node:crypto';
import { createAgent, type RequestOf, updateAgent } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const status = (value: 'pending' | 'lost') => ({ condition_type: 'lead_status', operator: '=', value }) as const;
const body: RequestOf<typeof createAgent>['body'] = {
  name: 'Vendas',
  priority: 3,
  voice_id: 'v1',
  condition_groups: [{ group_index: 0, conditions: [status('lost')] }],
};
type Changes = RequestOf<typeof updateAgent>['body'];

const create = (storeId: string, more: Partial<typeof body> = {}) =>
  crm.rpc.call(createAgent, { body: { ...body, ...more } }, testContext({ storeId }));
const update = (storeId: string, agentId: string, body: Changes) =>
  crm.rpc.call(updateAgent, { params: { agentId }, body }, testContext({ storeId }));
const events = (storeId: string) => crm.adminSql`
  select topic, data from outbox where store_id = ${storeId} order by created_at, id`;

test('an update changes only the given members and writes an event', async () => {
  const storeId = randomUUID();
  const made = await create(storeId);
  const changed = await update(storeId, made.id, { is_active: false, voice_id: null });
  expect(changed).toEqual({ ...made, is_active: false, voice_id: null, updated_at: expect.any(String) });
  expect((await events(storeId)).at(-1)).toEqual({
    topic: 'crm.agent.updated',
    data: { agent_id: made.id, is_active: false, is_default: false },
  });
  expect((await crm.feed(storeId)).map(({ type, data }) => [type, data.object])).toEqual([
    ['agent.created', made],
    ['agent.updated', changed],
  ]);
});

test('groups that are not valid are told before an agent that is not there', async () => {
  const group = { group_index: 0, conditions: [status('lost')] };
  const attempt = update(randomUUID(), randomUUID(), { condition_groups: [group, group] });
  await expect(attempt).rejects.toMatchObject({ code: 'validation_failed' });
});

test('condition groups are replaced as a whole', async () => {
  const storeId = randomUUID();
  const made = await create(storeId);
  const groups = [
    { group_index: 7, conditions: [status('pending')] },
    { group_index: 4, conditions: [status('lost'), status('pending')] },
  ];
  const changed = await update(storeId, made.id, { condition_groups: groups });
  expect(changed.condition_groups).toMatchObject(groups.toReversed());
  expect((await update(storeId, made.id, { condition_groups: [] })).condition_groups).toEqual([]);
});

test('tools have one order, so that another order is no change, and an agent can have none', async () => {
  const storeId = randomUUID();
  const made = await create(storeId, { tools: ['cancel', 'book'] });
  expect(made.tools).toEqual(['book', 'cancel']);
  expect(await update(storeId, made.id, { tools: ['cancel', 'book'] })).toEqual(made);
  expect(await update(storeId, made.id, { tools: [] })).toMatchObject({ tools: [], version: made.version });
});

test('an update without a change writes neither the agent nor its groups nor an event', async () => {
  const storeId = randomUUID();
  const made = await create(storeId);
  expect(await update(storeId, made.id, { name: body.name, condition_groups: body.condition_groups })).toEqual(made);
  expect(await events(storeId)).toHaveLength(1);
});

test('a second default agent is rejected with the id of the first, and nothing of the update is stored', async () => {
  const storeId = randomUUID();
  const first = await create(storeId, { is_default: true });
  const second = await create(storeId);
  await expect(update(storeId, second.id, { is_default: true, name: 'Outro' })).rejects.toMatchObject({
    code: 'default_agent_exists',
    members: { id: first.id },
  });
  expect(await update(storeId, second.id, { priority: 3 })).toEqual(second);
  await update(storeId, first.id, { is_default: false });
  expect(await update(storeId, second.id, { is_default: true })).toMatchObject({ is_default: true });
});

test("another store's agent is not found", async () => {
  const { id } = await create(randomUUID());
  await expect(update(randomUUID(), id, { name: 'Eve' })).rejects.toMatchObject({ code: 'agent_not_found' });
});

test.each<[string, Changes, string]>([
  ['no member at all', {}, '#'],
  ['an empty group', { condition_groups: [{ group_index: 0, conditions: [] }] }, '#/condition_groups/0/conditions'],
  [
    'a repeated group_index',
    { condition_groups: [0, 0].map((group_index) => ({ group_index, conditions: [status('lost')] })) },
    '#/condition_groups/1/group_index',
  ],
])('%s is rejected', async (_, changes, pointer) => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  await expect(update(storeId, id, changes)).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer }] },
  });
});
