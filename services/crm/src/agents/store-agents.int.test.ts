import { randomUUID } from 'node:crypto';
import {
  createAgent,
  createStoreAgent,
  importDocument,
  importStoreDocument,
  listAgents,
  listStoreAgents,
  type RequestOf,
  updateAgent,
  updateStoreAgent,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const create = (storeId: string, body: RequestOf<typeof createAgent>['body']) =>
  crm.rpc.call(createAgent, { body }, testContext({ storeId, role: 'manager' }));
const update = (storeId: string, agentId: string, body: RequestOf<typeof updateAgent>['body']) =>
  crm.rpc.call(updateAgent, { params: { agentId }, body }, testContext({ storeId, role: 'manager' }));
const group = (group_index: number) => ({
  group_index,
  conditions: [{ condition_type: 'lead_status', operator: '=', value: 'lost' } as const],
});

test('people see the inactive agents of their store too, in the order of selection, and no other store’s', async () => {
  const storeId = randomUUID();
  const paused = await create(storeId, { name: 'Paused', priority: 1, is_active: false });
  const sales = await create(storeId, { name: 'Sales', priority: 2 });
  await create(randomUUID(), { name: 'Other', priority: 0 });
  const context = testContext({ storeId, role: 'seller' });
  const all = await crm.rpc.call(listStoreAgents, { query: {} }, context);
  expect(all).toMatchObject({ data: [paused, sales], total: 2 });
  const [first] = (await crm.rpc.call(listStoreAgents, { query: { limit: 1 } }, context)).data;
  expect(first).toEqual(paused);
  expect(await crm.rpc.call(listAgents, { query: {} }, context)).toMatchObject({ data: [sales], total: 1 });
});

test('a change keeps what it leaves out, replaces the conditions, and is in the feed', async () => {
  const storeId = randomUUID();
  const made = await create(storeId, { name: 'Sales', priority: 2, condition_groups: [group(0), group(1)] });
  const changed = await update(storeId, made.id, { condition_groups: [group(7)], is_active: false });
  expect(changed).toMatchObject({ name: 'Sales', priority: 2, is_active: false });
  expect(changed.condition_groups.map(({ group_index }) => group_index)).toEqual([7]);
  expect((await crm.feed(storeId)).map(({ type }) => type)).toEqual(['agent.created', 'agent.updated']);
});

test('a seller changes neither agents nor documents', async () => {
  const storeId = randomUUID();
  const { id: agentId } = await create(storeId, { name: 'Sales', priority: 2 });
  const context = testContext({ storeId, role: 'seller' });
  const [agent, document] = [
    { name: 'x', priority: 1 },
    { name: 'x.md', title: 'x', content: 'x', locale: 'pt-BR' },
  ];
  const tries = [
    () => crm.rpc.call(createAgent, { body: agent }, context),
    () => crm.rpc.call(updateAgent, { params: { agentId }, body: { name: 'x' } }, context),
    () => crm.rpc.call(importDocument, { body: document }, context),
  ];
  for (const tried of tries) await expect(tried()).rejects.toMatchObject({ code: 'role_required' });
});

test('a gateway of 0.2.0 creates and changes agents and documents for a manager, and for no other', async () => {
  const storeId = randomUUID();
  const ask = async (context: ReturnType<typeof testContext>) => {
    const made = await crm.rpc.call(createStoreAgent, { body: { name: 'Sales', priority: 2 } }, context);
    const params = { agentId: made.id };
    const changed = await crm.rpc.call(updateStoreAgent, { params, body: { priority: 3 } }, context);
    const body = { name: 'x.md', title: 'x', content: 'x', locale: 'pt-BR' };
    return [changed.priority, (await crm.rpc.call(importStoreDocument, { body }, context)).result];
  };
  expect(await ask(testContext({ storeId, role: 'manager' }))).toEqual([3, 'created']);
  for (const context of [testContext({ storeId, role: 'seller' }), testContext({ storeId })])
    await expect(ask(context)).rejects.toMatchObject({ code: 'role_required' });
});

test('a fault is named by its place in the body', async () => {
  const storeId = randomUUID();
  const made = await create(storeId, { name: 'Sales', priority: 2 });
  await expect(update(storeId, made.id, { condition_groups: [group(1), group(1)] })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer: '#/condition_groups/1/group_index' }] },
  });
});

test('an agent of another store is not found, and a second default agent is refused', async () => {
  const storeId = randomUUID();
  const made = await create(storeId, { name: 'Sales', priority: 2, is_default: true });
  await expect(update(randomUUID(), made.id, { name: 'Mine' })).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(create(storeId, { name: 'Two', priority: 3, is_default: true })).rejects.toMatchObject({
    code: 'default_agent_exists',
    members: { id: made.id },
  });
});
