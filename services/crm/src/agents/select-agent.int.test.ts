import { randomUUID } from 'node:crypto';
import {
  createAgent,
  createLead,
  getBookingRules,
  getStoreSettings,
  isFirstContact,
  type RequestOf,
  selectAgent,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer, type RpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
const others: RpcServer[] = [];
/** The stores that have opening hours: on Wednesdays from 9 to 12. */
const withHours = new Set<string>();
/** The leads of whom a session has ended. */
const known = new Set<string>();

beforeAll(async () => {
  crm = await startCrm();
  const own = { nats: crm.nats.nats, log: silentLog() };
  const rules = {
    ...{
      overlap: 'allow' as const,
      outside_hours: 'reject' as const,
      capacity: 1,
      slot_step_minutes: 30,
      buffer_before_minutes: 0,
    },
    ...{ buffer_after_minutes: 0, minimum_notice_minutes: 0, horizon_days: 365, exceptions: [] },
    ...{ reminders: [], confirm_words: ['1'], cancel_words: ['2'] },
    hours: [{ weekday: 3, from: '09:00', to: '12:00' }],
  };
  others.push(
    createRpcServer({
      ...{ ...own, service: 'accounts', operations: { getStoreSettings } },
      handlers: { getStoreSettings: async () => ({ timezone: 'America/Sao_Paulo', locale: 'es-MX' }) },
    }),
    createRpcServer({
      ...{ ...own, service: 'scheduling', operations: { getBookingRules } },
      handlers: {
        getBookingRules: async ({ storeId }) => {
          if (!withHours.has(storeId)) throw new AppError('booking_rules_not_found');
          return rules;
        },
      },
    }),
    createRpcServer({
      ...{ ...own, service: 'messaging', operations: { isFirstContact } },
      handlers: { isFirstContact: async (_, { body }) => ({ first_contact: !known.has(body.lead_id) }) },
    }),
  );
  await crm.nats.nats.flush();
});
afterAll(async () => {
  await Promise.all(others.map((server) => server.drain()));
  await crm?.stop();
});

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
type Body = RequestOf<typeof selectAgent>['body'];
const ask = (storeId: string, body: Body) => crm.rpc.call(selectAgent, { body }, testContext({ storeId }));
const select = (storeId: string, lead_id: string) => ask(storeId, { lead_id });

test("a selection returns the complete agent for the lead's status, and the reason", async () => {
  const storeId = randomUUID();
  const other = await agent(storeId, 1, 'pending');
  const fitting = await agent(storeId, 2, 'lost');
  const inactive = await agent(storeId, 0, 'lost', { is_active: false });
  const { id } = await lead(storeId, 'lost');
  const answer = await select(storeId, id);
  expect(answer).toMatchObject({ agent: fitting, reason: 'conditions_hold' });
  expect(answer.considered.map(({ agent_id, outcome }) => [agent_id, outcome])).toEqual([
    [inactive.id, 'inactive'],
    [other.id, 'no_group_holds'],
    [fitting.id, 'selected'],
  ]);
  const failed = { value: 'pending', actual: 'lost', holds: false };
  expect(answer.considered[1]).toMatchObject({
    failed_condition: failed,
    condition_groups: [{ conditions: [failed] }],
  });
  expect(answer.condition_group).toMatchObject({ holds: true, conditions: [{ value: 'lost', holds: true }] });
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
  expect(await select(storeId, id)).toEqual({
    ...{ agent: null, reason: 'no_agent', condition_group: null, considered: [] },
  });
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

type Given = NonNullable<RequestOf<typeof createAgent>['body']['condition_groups']>[number]['conditions'][number];
const withCondition = (storeId: string, condition: Given) =>
  crm.rpc.call(
    createAgent,
    { body: { name: 'A', priority: 1, condition_groups: [{ group_index: 0, conditions: [condition] }] } },
    testContext({ storeId }),
  );
/** What the only condition of the store's only agent was compared with, and whether it holds. */
const compared = async (storeId: string, body: Body) => {
  const { considered } = await ask(storeId, body);
  const condition = considered[0]?.condition_groups[0]?.conditions[0];
  return [condition?.actual, condition?.holds];
};

test('conditions compare what the request says of a lead that need not exist', async () => {
  const storeId = randomUUID();
  await withCondition(storeId, { condition_type: 'tag', operator: 'in', value: 'vip, b2b' });
  expect(await compared(storeId, { lead: { tags: ['VIP'] } })).toEqual(['vip', true]);
  expect(await compared(storeId, { lead: {} })).toEqual(['', false]);
});

test('a message is compared with what `message` says', async () => {
  const storeId = randomUUID();
  await withCondition(storeId, { condition_type: 'message_contains', operator: 'contains', value: 'preço' });
  const { id: lead_id } = await lead(storeId, 'lost');
  expect(await compared(storeId, { lead_id, message: 'Os PREÇOS?' })).toEqual(['preço', true]);
  expect(await compared(storeId, { lead_id })).toEqual(['', false]);
});

test('a language is that of the request, or else of the store', async () => {
  const storeId = randomUUID();
  await withCondition(storeId, { condition_type: 'language', operator: '=', value: 'es' });
  expect(await compared(storeId, { lead: {} })).toEqual(['es-MX', true]);
  expect(await compared(storeId, { lead: {}, language: 'pt-BR' })).toEqual(['pt-BR', false]);
});

test('a first contact is what messaging says of a lead', async () => {
  const storeId = randomUUID();
  await withCondition(storeId, { condition_type: 'first_contact', operator: '=', value: 'true' });
  const { id: lead_id } = await lead(storeId, 'lost');
  expect(await compared(storeId, { lead_id })).toEqual(['true', true]);
  known.add(lead_id);
  expect(await compared(storeId, { lead_id })).toEqual(['false', false]);
});

test('business hours are those of the condition, or of the booking rules, in the zone of the store', async () => {
  const [own, ofStore] = [randomUUID(), randomUUID()];
  const open = { condition_type: 'business_hours', operator: '=', value: 'open' } as const;
  const made = await withCondition(own, { ...open, hours: [{ weekday: 3, from: '13:00', to: '15:00' }] });
  const [inTheMorning, after] = ['2027-06-16T10:00:00-03:00', '2027-06-16T14:00:00-03:00'];
  expect(await compared(own, { lead: {}, at: inTheMorning })).toEqual(['closed', false]);
  expect(await compared(own, { lead: {}, at: after })).toEqual(['open', true]);
  const shown = { ...open, hours: [{ weekday: 3, from: '13:00', to: '15:00' }] };
  expect(made.condition_groups[0]?.conditions).toEqual([{ id: expect.any(String), ...shown }]);

  await withCondition(ofStore, open);
  expect(await compared(ofStore, { lead: {}, at: inTheMorning })).toEqual(['', false]);
  withHours.add(ofStore);
  expect(await compared(ofStore, { lead: {}, at: inTheMorning })).toEqual(['open', true]);
  expect(await compared(ofStore, { lead: {}, at: after })).toEqual(['closed', false]);
});

test.each<[string, object, string]>([
  ['an invalid id', { lead_id: '7' }, '#/lead_id'],
  ['neither a lead nor its id', { message: 'Oi' }, '#'],
  ['both a lead and its id', { lead_id: randomUUID(), lead: {} }, '#'],
  ['an unknown status', { lead: { status: 'won' } }, '#/lead/status'],
  ['an unknown member of a lead', { lead: { name: 'Ana' } }, '#/lead/name'],
  ['a moment without an offset', { lead: {}, at: '2027-06-16T10:00:00' }, '#/at'],
  ['a language that is no tag', { lead: {}, language: '!' }, '#/language'],
])('%s is rejected', async (_, body, pointer) => {
  await expect(ask(randomUUID(), body as Body)).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer }] },
  });
});
