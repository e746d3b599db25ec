import { randomUUID } from 'node:crypto';
import { eventsOperations } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { append, entryOf } from '../../../test/entries.ts';
import { startEvents, type TestEvents } from '../../../test/events.ts';
import { stageWebhook, type WebhookStage } from '../../../test/webhooks.ts';
import { findNextUnplanned, findUnplanned } from '../endpoints/watch.repository.ts';
import { planDeliveries } from './plan-deliveries.ts';

let events: TestEvents;
const open: WebhookStage[] = [];
const stage = async (...settings: Parameters<typeof stageWebhook> extends [unknown, ...infer Rest] ? Rest : never) => {
  const staged = await stageWebhook(events, ...settings);
  open.push(staged);
  return staged;
};

beforeAll(async () => {
  events = await startEvents();
  events.startSender();
});
afterEach(async () => {
  for (const staged of open.splice(0)) {
    expect(staged.receiver.faults).toEqual([]);
    await staged.close();
  }
});
afterAll(() => events?.stop());

test('an event is sent once, with a signature that the library of Standard Webhooks verifies', async () => {
  const { append, receiver, deliveries, storeId } = await stage();
  const lead = randomUUID();
  const [id] = await append(lead);
  await expect.poll(async () => (await deliveries()).map(({ status }) => status)).toEqual(['succeeded']);
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.event).toMatchObject({
    id,
    type: 'lead.updated',
    sequence: 1,
    store_id: storeId,
    entity: { type: 'lead', id: lead, version: 1 },
    data: { lead_id: lead, object: { name: 'Maria', note: 'ção ✓' } },
  });
});

test('the events of one entity arrive in their order, although many are sent at once', async () => {
  const { append, receiver } = await stage({ max_in_flight: 10 });
  receiver.answer(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { status: 204 };
  });
  const leads = Array.from({ length: 10 }, () => randomUUID());
  await append(...leads, ...leads, ...leads);
  await expect.poll(() => receiver.received.length).toBe(30);
  for (const lead of leads) {
    const sequences = receiver.received
      .filter(({ event }) => event.entity.id === lead)
      .map(({ event }) => event.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(sequences).toHaveLength(3);
  }
  expect(receiver.mostAtOnce()).toBeGreaterThan(1);
  expect(receiver.mostAtOnce()).toBeLessThanOrEqual(10);
});

test('an endpoint that answers slowly gets its next events meanwhile, up to `max_in_flight`', async () => {
  const { append, receiver } = await stage({ max_in_flight: 2 });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  receiver.answer(async () => {
    await answered;
    return { status: 204 };
  });
  await append(randomUUID());
  await expect.poll(() => receiver.mostAtOnce()).toBe(1);
  await append(randomUUID(), randomUUID());
  await expect.poll(() => receiver.mostAtOnce()).toBe(2);
  answer();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect(receiver.mostAtOnce()).toBe(2);
});

test('sent once, never retried: a failed attempt is retried by the workflow until it succeeds (chatwoot 15920)', async () => {
  const { append, receiver, deliveries, drain, pass } = await stage();
  receiver.answer((_webhook, number) => ({ status: number < 3 ? 500 : 200 }));
  await append(randomUUID());
  await expect.poll(async () => (await deliveries())[0]?.error).toBe('http_500');
  await pass(10_000);
  expect(await drain()).toMatchObject({ done: false, reason: 'the next delivery is due then' });
  await pass(400_000);
  await drain();
  expect((await deliveries())[0]).toMatchObject({ status: 'succeeded', attempts: 3, error: null });
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
});

test('filters choose events by what changed: by a value, or any change of a member', async () => {
  const { receiver, storeId, endpoint, deliveries, drain } = await stage({
    event_types: ['lead.created', 'lead.updated', 'appointment.updated'],
    filters: [
      { type: 'lead.updated', member: 'status', value: 'converted' },
      { type: 'lead.updated', member: 'seller_id', value: null },
      { type: 'appointment.updated', member: 'scheduled_at' },
    ],
  });
  const event = (type: string, previous: object | null, object: object | null) =>
    entryOf(storeId, { type, previous: previous as null, data: { object } });
  await append(
    events,
    event('lead.updated', { status: 'pending' }, { status: 'converted', seller_id: null }),
    event('lead.updated', { name: 'Ana' }, { status: 'converted', seller_id: null }),
    event('lead.updated', { status: 'converted' }, { status: 'lost', seller_id: null }),
    event('lead.updated', { seller_id: 'x' }, { status: 'lost', seller_id: null }),
    event('lead.created', null, { status: 'pending' }),
    event('appointment.updated', { notes: null }, { notes: 'x', scheduled_at: 'b' }),
    event('appointment.updated', { scheduled_at: 'a' }, { notes: 'x', scheduled_at: 'b' }),
    // Too large to tell what changed.
    event('lead.updated', null, null),
    event('seller.updated', { name: 'x' }, { name: 'y' }),
  );
  const wanted = [1, 4, 5, 7, 8];
  const sequences = () => receiver.received.map(({ event }) => event.sequence).sort((a, b) => a - b);
  await expect.poll(sequences).toEqual(wanted);
  await expect.poll(async () => (await deliveries()).every(({ status }) => status === 'succeeded')).toBe(true);
  // A replay looks through the events as the planner of many does.
  const params = { endpointId: endpoint.id };
  await events.rpc.call(
    eventsOperations.createWebhookReplay,
    { params, body: { only: 'all' } },
    testContext({ storeId }),
  );
  await expect
    .poll(async () => {
      await drain();
      return sequences().length;
    })
    .toBe(2 * wanted.length);
  expect([...new Set(sequences())]).toEqual(wanted);
});

test('of the events that wait, those count that pass the filters', async () => {
  const { storeId, endpoint } = await stage({ filters: [{ type: 'lead.updated', member: 'status', value: 'lost' }] });
  const [params, context] = [{ endpointId: endpoint.id }, () => testContext({ storeId })];
  await events.rpc.call(eventsOperations.updateWebhookEndpoint, { params, body: { status: 'paused' } }, context());
  const changed = (status: string) =>
    entryOf(storeId, { previous: { status: 'pending' }, data: { object: { status } } });
  await append(
    events,
    changed('lost'),
    changed('converted'),
    entryOf(storeId, { type: 'lead.created', previous: null }),
  );
  const { health } = await events.rpc.call(eventsOperations.getWebhookEndpoint, { params }, context());
  expect(health).toMatchObject({ pending: 2, next_attempt_at: null });
});

test('a `thin` event tells of a change only what it tells of the resource', async () => {
  const { receiver, storeId } = await stage({ payload: 'thin' });
  const previous = { name: 'Ana', status: 'pending' };
  await append(
    events,
    entryOf(storeId, { previous, data: { lead_id: storeId, status: 'lost', object: { name: 'Bia' } } }),
  );
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(receiver.received[0]?.event).toMatchObject({
    ...{ actor: { kind: 'api_key', id: 'abc' }, request_id: 'r-1', entity: { etag: '"v2.0"' } },
  });
  const { previous: told, data } = JSON.parse(receiver.received[0]?.body ?? '');
  expect([told, data]).toEqual([{ status: 'pending' }, { lead_id: storeId, status: 'lost' }]);
});

test('a full endpoint is neither read by the look for events, nor written by a look that changes nothing', async () => {
  const { storeId, endpoint, append: appendTo, drain } = await stage();
  await events.stopSender();
  const untried = 1_000;
  await appendTo(...Array.from({ length: untried + 1 }, () => randomUUID()));
  // It fails, and its next attempt is far away.
  await events.adminSql`
    update webhook_endpoints
    set sender = 'workflow', failures = 1, failing_since = now(), blocked_until = now() + interval '1 hour'
    where id = ${endpoint.id}`;
  const plan = () => planDeliveries(events.dependencies, { store_id: storeId, id: endpoint.id });
  while (await plan());
  await plan();
  const scope = { deadline: Date.now() + 30_000 };
  const isFound = async () => {
    const { unplanned } = await events.systemDatabase.read(scope, (sql) =>
      findNextUnplanned(sql, { after: undefined, limit: 10_000 }),
    );
    const ofStore = await events.systemDatabase.read(scope, (sql) => findUnplanned(sql, [storeId]));
    return [...unplanned, ...ofStore].some(({ id }) => id === endpoint.id);
  };
  expect(await isFound()).toBe(false);
  const version = async () => {
    const [row] = await events.adminSql`select ctid::text, xmin::text from webhook_endpoints where id = ${endpoint.id}`;
    return row;
  };
  const before = await version();
  await plan();
  await drain();
  expect(await version()).toEqual(before);
  // What makes room lets it be found.
  await events.adminSql`update webhook_endpoints set full_until = now() where id = ${endpoint.id}`;
  expect(await isFound()).toBe(true);
});
