import { randomUUID } from 'node:crypto';
import { createAgent, createLead, selectAgent } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Status = 'pending' | 'lost';
const agent = (storeId: string, priority: number, value: Status | undefined, flags = {}) => {
  const condition = value && ({ condition_type: 'lead_status', operator: '=', value } as const);
  const condition_groups = condition ? [{ group_index: 0, conditions: [condition] }] : [];
  const body = { name: `P${priority}`, priority, condition_groups, ...flags };
  return crm.rpc.call(createAgent, { body }, testContext({ storeId }));
};
const lead = (storeId: string, status: Status) =>
  crm.rpc.call(
    createLead,
    { body: { name: 'Ana', customer_phone: '5511900000001', status } },
    testContext({ storeId }),
  );
const select = (storeId: string, lead_id: string) =>
  crm.rpc.call(selectAgent, { body: { lead_id } }, testContext({ storeId }));

test("a selection returns the complete agent for the lead's status, and the reason", async () => {
  const storeId = randomUUID();
  const other = await agent(storeId, 1, 'pending');
  const fitting = await agent(storeId, 2, 'lost');
  await agent(storeId, 0, 'lost', { is_active: false });
  const { id } = await lead(storeId, 'lost');
  const answer = await select(storeId, id);
  expect(answer).toMatchObject({ agent: fitting, reason: 'conditions_hold' });
  expect(answer.considered.map(({ agent_id, outcome }) => [agent_id, outcome])).toEqual([
    [other.id, 'no_group_holds'],
    [fitting.id, 'selected'],
  ]);
  expect(answer.considered[0]?.condition_groups[0]?.conditions[0]).toMatchObject({
    value: 'pending',
    actual: 'lost',
    holds: false,
  });
});

test('without a match a selection returns the default agent, and without a default agent none', async () => {
  const storeId = randomUUID();
  await agent(storeId, 1, 'pending');
  const { id } = await lead(storeId, 'lost');
  expect(await select(storeId, id)).toMatchObject({ agent: null, reason: 'no_agent' });
  const fallback = await agent(storeId, 5, undefined, { is_default: true });
  expect(await select(storeId, id)).toMatchObject({ agent: { id: fallback.id }, reason: 'default' });
});

test("another store's lead is not found, and its agents are not considered", async () => {
  const storeId = randomUUID();
  const { id } = await lead(storeId, 'lost');
  await agent(randomUUID(), 1, 'lost');
  expect(await select(storeId, id)).toEqual({ agent: null, reason: 'no_agent', considered: [] });
  await expect(select(randomUUID(), id)).rejects.toMatchObject({ code: 'lead_not_found' });
});

test('a second request with the same Idempotency-Key gets the first answer', async () => {
  const storeId = randomUUID();
  const { id: lead_id } = await lead(storeId, 'lost');
  const body = { lead_id };
  const context = testContext({ storeId, idempotencyKey: 'k', idempotencyScope: 'POST /agents/select', body });
  const first = await crm.rpc.forward(selectAgent, { body }, context);
  await agent(storeId, 1, 'lost');
  const second = await crm.rpc.forward(selectAgent, { body }, context);
  expect(second.body).toEqual(first.body);
  expect(second.headers.replayed).toBe(true);
});

test('an invalid id is rejected', async () => {
  await expect(select(randomUUID(), '7')).rejects.toMatchObject({ code: 'validation_failed' });
});
