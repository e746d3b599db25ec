import { randomUUID } from 'node:crypto';
import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { type messagingEvents, onMessagingEvent } from './on-messaging-event.ts';

type Event = EventOf<(typeof messagingEvents)[number]>;

let scheduling: TestScheduling;
let followups: TestFollowups;
beforeAll(async () => {
  scheduling = await startScheduling();
});
beforeEach(async () => {
  followups = await startFollowups(scheduling);
});
afterEach(() => followups.stop());
afterAll(() => scheduling?.stop());

/** Calls the handler like the event consumer. */
const tell = <Type extends Event['type']>(
  type: Type,
  data: Extract<Event, { type: Type }>['data'],
  { storeId = followups.storeId, at = new Date() } = {},
) =>
  onMessagingEvent(scheduling.dependencies)(
    { id: randomUUID(), type, store_id: storeId, occurred_at: at.toISOString(), data } as Event,
    { deadline: Date.now() + 30_000 },
  );
const received = (at: Date, leadId = followups.leadId) => ({
  message_id: randomUUID(),
  lead_id: leadId,
  session_id: randomUUID(),
  received_at: at.toISOString(),
});
const statusOf = async (id: string) => {
  const { status, cancel_reason } = await followups.read(id);
  return cancel_reason ?? status;
};
const wakeUpsOf = async (id: string) =>
  (await scheduling.wakeUps(followups.storeId)).flatMap(({ entity_id, signal }) => (entity_id === id ? [signal] : []));
const cancellationsOf = async (id: string) =>
  (await scheduling.events(followups.storeId)).filter(
    ({ topic, data }) => topic === 'scheduling.followup.cancelled' && data.followup_id === id,
  ).length;
const moment = (timestamp: string, laterMs: number) => new Date(Date.parse(timestamp) + laterMs);

describe('a message from the lead', () => {
  test('a reply cancels earlier follow-ups that allow it, once, even when the event is repeated', async () => {
    const { id, created_at } = await followups.create();
    const kept = await followups.create({ cancel_on_reply: false });
    const at = moment(created_at, 1_000);
    for (const _ of [1, 2]) await tell('messaging.message.received', received(at));
    expect([await statusOf(id), await statusOf(kept.id)]).toEqual(['lead_replied', 'pending']);
    expect(await cancellationsOf(id)).toBe(1);
    expect(await wakeUpsOf(id)).toEqual(['scheduled', 'cancelled']);
  });

  test('a reply does not cancel later follow-ups, ones being sent, or ones of another lead or store', async () => {
    const { id, created_at } = await followups.create();
    await tell('messaging.message.received', received(moment(created_at, 0)));
    expect(await statusOf(id)).toBe('pending');
    const at = moment(created_at, 1_000);
    await tell('messaging.message.received', received(at, randomUUID()));
    await tell('messaging.message.received', received(at), { storeId: randomUUID() });
    expect(await statusOf(id)).toBe('pending');
    followups.world.answer = async () => ({ status: 'queued', error: null });
    await followups.makeDue(id);
    await followups.step(id);
    await tell('messaging.message.received', received(at));
    expect(await statusOf(id)).toBe('sending');
  });
});

test('an opt-out cancels all earlier follow-ups and no later ones', async () => {
  const before = await followups.create({ cancel_on_reply: false });
  const at = moment(before.created_at, 1_000);
  await tell('messaging.lead.opted_out', { lead_id: followups.leadId }, { at: moment(before.created_at, 0) });
  expect(await statusOf(before.id)).toBe('pending');
  await tell('messaging.lead.opted_out', { lead_id: followups.leadId }, { at });
  expect(await statusOf(before.id)).toBe('opted_out');
  expect(await cancellationsOf(before.id)).toBe(1);
});

describe('a message that was settled', () => {
  const settled = (message_id: string, source: 'followup' | 'api' = 'followup') => ({
    message_id,
    lead_id: followups.leadId,
    source,
  });
  /** Creates a follow-up whose message is queued in messaging. */
  const underway = async () => {
    const { id } = await followups.create();
    followups.world.answer = async () => ({ status: 'queued', error: null });
    await followups.makeDue(id);
    await followups.step(id);
    return id;
  };

  test('wakes its follow-up, which then ends at once', async () => {
    const id = await underway();
    await tell('messaging.message.sent', settled(id));
    expect(await wakeUpsOf(id)).toEqual(['scheduled', 'message_settled']);
    followups.world.answer = async () => ({ status: 'sent', error: null });
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
    await tell('messaging.message.sent', settled(id));
    expect(await wakeUpsOf(id)).toHaveLength(2);
  });

  test('wakes its follow-up when the message failed', async () => {
    const id = await underway();
    await tell('messaging.message.failed', { ...settled(id), code: '131026' });
    expect(await wakeUpsOf(id)).toEqual(['scheduled', 'message_settled']);
  });

  test('wakes its follow-up when the message was cancelled, and the follow-up is cancelled, too', async () => {
    const id = await underway();
    await tell('messaging.message.cancelled', settled(id));
    expect(await wakeUpsOf(id)).toEqual(['scheduled', 'message_settled']);
    followups.world.answer = async () => ({ status: 'cancelled', error: null });
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'cancelled (api)' });
    expect(await followups.read(id)).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'api',
      message_id: id,
      error: null,
    });
    expect(await cancellationsOf(id)).toBe(1);
  });

  test('wakes no follow-up with a running step, and is ignored when it has another source or no follow-up', async () => {
    const { id } = await followups.create();
    followups.world.answer = async () => {
      await tell('messaging.message.sent', settled(id));
      return { status: 'sent', error: null };
    };
    await followups.makeDue(id);
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
    const other = await underway();
    await tell('messaging.message.sent', settled(other, 'api'));
    await tell('messaging.message.sent', settled(randomUUID()));
    expect([await wakeUpsOf(id), await wakeUpsOf(other)]).toEqual([['scheduled'], ['scheduled']]);
  });
});
