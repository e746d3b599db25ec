import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../../test/events.ts';
import { stageWebhook, type WebhookStage } from '../../../test/webhooks.ts';

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
