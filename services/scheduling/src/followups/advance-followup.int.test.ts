import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { updateSendingWindows } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

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

const everyDay = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const due = async () => {
  const { id } = await followups.create();
  await followups.makeDue(id);
  return id;
};
const refusing = (code: ConstructorParameters<typeof AppError>[0]) => async () => {
  throw new AppError(code);
};
/** The last public event, which shows the follow-up as the API does. */
const lastFed = async (id: string) => {
  const last = (await scheduling.feed(followups.storeId)).at(-1);
  expect(last?.data.object).toEqual(await followups.read(id));
  return last;
};
const eventsOf = async (id: string) =>
  (await scheduling.events(followups.storeId)).flatMap(({ topic, data }) => (data.followup_id === id ? [topic] : []));

test('a follow-up is not sent before it is due, and the step answers when that is', async () => {
  const { id, due_at } = await followups.create();
  expect(await followups.step(id)).toEqual({ done: false, wake_at: due_at, reason: 'it is not due yet' });
  expect(followups.askedOf(id)).toBe(0);
});

test('a due follow-up is handed over once under its own id, and is `sent` when the channel has accepted it', async () => {
  const id = await due();
  expect(await followups.step(id)).toEqual({ done: true, wake_at: null, reason: 'sent' });
  expect(await followups.step(id)).toEqual({ done: true, wake_at: null, reason: 'sent' });
  const followup = await followups.read(id);
  expect(followup).toMatchObject({ status: 'sent', message_id: id, next_attempt_at: null, error: null });
  expect(followups.asked).toEqual([
    {
      id,
      lead_id: followups.leadId,
      source: 'followup',
      message: 'Hello',
      unless_reply_after: followup.created_at,
      wait_ms: 1500,
    },
  ]);
  expect(await eventsOf(id)).toEqual(['scheduling.followup.scheduled', 'scheduling.followup.sent']);
  expect(await lastFed(id)).toMatchObject({ type: 'followup.sent', entity_id: id, data: { message_id: id } });
  expect(await scheduling.feed(followups.storeId)).toHaveLength(2);
});

test('an unknown follow-up is not sent', async () => {
  expect(await followups.step(randomUUID())).toMatchObject({ done: true });
  expect(followups.asked).toEqual([]);
});

test('the outcome of a queued message is polled with growing delays until it is known', async () => {
  const id = await due();
  followups.world.answer = async () => ({ status: 'queued', error: null });
  for (const seconds of [1, 2, 5]) {
    const sinceMs = Date.now();
    const next = await followups.step(id);
    expect(next).toMatchObject({ done: false, reason: 'the message is queued' });
    expectDelay(next.wake_at, { sinceMs, least: seconds, most: seconds });
    expect(await followups.read(id)).toMatchObject({ status: 'sending', message_id: id });
  }
  followups.world.answer = async () => ({ status: 'failed', error: { code: 'refused', detail: 'No.' } });
  expect(await followups.step(id)).toMatchObject({ done: true, reason: 'failed (refused)' });
  expect(await followups.read(id)).toMatchObject({ status: 'failed', error: { code: 'refused', detail: 'No.' } });
  expect(await lastFed(id)).toMatchObject({ type: 'followup.failed', data: { code: 'refused' } });
});

test('a message that stays queued is asked about once an hour in the end', async () => {
  const id = await due();
  followups.world.answer = async () => ({ status: 'queued', error: null });
  await followups.step(id);
  await scheduling.adminSql`update followups set attempts = 20 where id = ${id}`;
  const sinceMs = Date.now();
  const { wake_at } = await followups.step(id);
  expectDelay(wake_at, { sinceMs, least: 3600, most: 3600 });
});

test('a follow-up that could not be sent for 14 days fails instead of being sent late', async () => {
  const id = await due();
  await scheduling.adminSql`update followups set due_at = now() - interval '15 days' where id = ${id}`;
  expect(await followups.step(id)).toMatchObject({ done: true, reason: 'failed (followup_expired)' });
  expect(await followups.read(id)).toMatchObject({ status: 'failed', error: { code: 'followup_expired' } });
  expect(await eventsOf(id)).toContain('scheduling.followup.failed');
  expect(await lastFed(id)).toMatchObject({ type: 'followup.failed', data: { code: 'followup_expired' } });
  expect(followups.asked).toEqual([]);
});

describe('a follow-up with `expires_at`', () => {
  /** Due now; `expires_at` is `seconds` from now. */
  const expiring = async (seconds: number) => {
    const id = await due();
    const at = new Date(Date.now() + seconds * 1000);
    await scheduling.adminSql`update followups set due_at = now() - interval '1 hour', expires_at = ${at} where id = ${id}`;
    return { id, expires_at: at.toISOString() };
  };
  const expire = (id: string) => scheduling.adminSql`update followups set expires_at = now() where id = ${id}`;
  const expectExpired = async (id: string, message_id: string | null = null) => {
    expect(await followups.read(id)).toMatchObject({
      ...{ status: 'cancelled', cancel_reason: 'expired', next_attempt_at: null, message_id },
    });
    expect(await eventsOf(id)).toContain('scheduling.followup.cancelled');
    expect(await lastFed(id)).toMatchObject({ type: 'followup.cancelled', data: { reason: 'expired' } });
  };

  test('is handed over before that moment, which messaging gets', async () => {
    const { id, expires_at } = await expiring(3600);
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
    expect(followups.asked).toEqual([expect.objectContaining({ id, expires_at })]);
  });

  test('is cancelled after it, and never handed over', async () => {
    const { id } = await expiring(-1);
    expect(await followups.step(id)).toEqual({ done: true, wake_at: null, reason: 'cancelled (expired)' });
    await expectExpired(id);
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'cancelled' });
    expect(followups.asked).toEqual([]);
  });

  test('that waits for a sending window or a retry wakes when it expires, and not later', async () => {
    const hour = (new Date().getUTCHours() + 12) % 24;
    const from = `${String(hour).padStart(2, '0')}:00`;
    const windows = [{ weekdays: [...everyDay], from, to: from.replace(':00', ':59') }];
    const storeId = followups.storeId;
    await scheduling.rpc.call(updateSendingWindows, { body: { windows } }, testContext({ storeId }));
    const postponed = await expiring(3600);
    for (const _ of [1, 2]) expect(await followups.step(postponed.id)).toMatchObject({ wake_at: postponed.expires_at });
    await scheduling.rpc.call(updateSendingWindows, { body: { windows: [] } }, testContext({ storeId }));

    followups.world.answer = refusing('channel_not_connected');
    const refused = await expiring(1800);
    // By now its retries are an hour apart.
    await scheduling.adminSql`update followups set attempts = 10 where id = ${refused.id}`;
    for (const _ of [1, 2]) expect(await followups.step(refused.id)).toMatchObject({ wake_at: refused.expires_at });
    await expire(refused.id);
    expect(await followups.step(refused.id)).toMatchObject({ done: true });
    await expectExpired(refused.id);
  });

  test('whose attempt was lost is cancelled when messaging has no message and refuses a new one', async () => {
    const { id } = await expiring(3600);
    await followups.stopMessaging();
    await expect(followups.step(id)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expire(id);
    const again = await startFollowups(scheduling);
    again.world.answer = refusing('message_expired');
    expect(await followups.step(id)).toEqual({ done: true, wake_at: null, reason: 'cancelled (expired)' });
    await expectExpired(id);
    await again.stop();
  });

  test('whose message still waits is asked about when it expires, and is cancelled with its message', async () => {
    const { id, expires_at } = await expiring(1800);
    followups.world.answer = async () => ({ status: 'queued', error: null });
    await followups.step(id);
    // By now it is asked about once an hour.
    await scheduling.adminSql`update followups set attempts = 20 where id = ${id}`;
    expect(await followups.step(id)).toMatchObject({ wake_at: expires_at, reason: 'the message is queued' });
    await expire(id);
    followups.world.answer = async () => ({
      ...{ status: 'cancelled', error: { code: 'message_expired', detail: 'It expired.' } },
    });
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'cancelled (expired)' });
    await expectExpired(id, id);
  });

  test('whose message is on its way when it expires waits for the outcome', async () => {
    const { id } = await expiring(3600);
    followups.world.answer = async () => ({ status: 'unknown', error: null });
    await followups.step(id);
    await expire(id);
    const sinceMs = Date.now();
    expectDelay((await followups.step(id)).wake_at, { sinceMs, least: 2, most: 2 });
    followups.world.answer = async () => ({ status: 'sent', error: null });
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
  });
});

test('at most 16 concurrent steps wait for the outcome, so that the others do not occupy the worker', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, due));
  const all = Promise.withResolvers<void>();
  followups.world.answer = async () => {
    if (followups.asked.length === ids.length) all.resolve();
    await all.promise;
    return { status: 'queued', error: null };
  };
  await Promise.all(ids.map((id) => followups.step(id)));
  expect(followups.asked.filter(({ wait_ms }) => wait_ms !== undefined)).toHaveLength(16);
  followups.asked.length = 0;
  await followups.step(ids[0] as string);
  expect(followups.asked).toEqual([expect.not.objectContaining({ wait_ms: expect.anything() })]);
});

test.each([
  ['lead_replied', 'lead_replied'],
  ['lead_opted_out', 'opted_out'],
  ['lead_not_found', 'lead_deleted'],
] as const)('the answer %s of messaging cancels the follow-up as %s', async (code, reason) => {
  const id = await due();
  followups.world.answer = refusing(code);
  expect(await followups.step(id)).toMatchObject({ done: true });
  expect(await followups.read(id)).toMatchObject({ status: 'cancelled', cancel_reason: reason, message_id: null });
  expect(await eventsOf(id)).toContain('scheduling.followup.cancelled');
  expect(await lastFed(id)).toMatchObject({ type: 'followup.cancelled', data: { reason } });
});

test.each([
  ['a closed reply window', 'messaging_window_closed'],
  ['a budget that is used up', 'message_budget_reached'],
] as const)('%s fails the follow-up with the reason', async (_, code) => {
  const id = await due();
  followups.world.answer = refusing(code);
  expect(await followups.step(id)).toMatchObject({ done: true });
  expect(await followups.read(id)).toMatchObject({ status: 'failed', error: { code } });
});

describe('a store without a channel', () => {
  test('leads to retries with growing delays, between which the follow-up can be cancelled', async () => {
    const id = await due();
    followups.world.answer = refusing('channel_not_connected');
    for (const minutes of [1, 2, 4]) {
      const sinceMs = Date.now();
      const { wake_at } = await followups.step(id);
      expectDelay(wake_at, { sinceMs, least: minutes * 60, most: minutes * 60 });
      expect(await followups.read(id)).toMatchObject({ status: 'pending', error: { code: 'channel_not_connected' } });
      await followups.makeDue(id);
    }
    expect(await followups.cancel(id)).toEqual({ cancelled: true, id });
  });

  test('fails the follow-up a day after the first attempt', async () => {
    const id = await due();
    followups.world.answer = refusing('channel_not_connected');
    await followups.step(id);
    await scheduling.adminSql`
      update followups set next_attempt_at = now() - interval '1 second', first_attempt_at = now() - interval '25 hours' where id = ${id}`;
    expect(await followups.step(id)).toMatchObject({ done: true });
    expect(await followups.read(id)).toMatchObject({ status: 'failed', error: { code: 'channel_not_connected' } });
  });
});

describe('a lost response', () => {
  test('leaves the follow-up `sending`, and after the lease the next attempt uses the same id', async () => {
    const id = await due();
    followups.world.answer = () =>
      new Promise((resolve) => setTimeout(resolve, 2_000, { status: 'sent', error: null }));
    await expect(followups.step(id, 2_500)).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(await followups.read(id)).toMatchObject({ status: 'sending', message_id: null });
    await expect(followups.cancel(id)).rejects.toMatchObject({ members: { current_status: 'sending' } });
    expect(await followups.step(id)).toMatchObject({ done: false, reason: 'another attempt is running' });
    followups.world.answer = async () => ({ status: 'sent', error: null });
    await followups.endLease(id);
    expect(await followups.step(id)).toMatchObject({ done: true, reason: 'sent' });
  });

  test('does not delay the next attempt when no process got the request', async () => {
    const id = await due();
    await followups.stopMessaging();
    for (const _ of [1, 2]) {
      await expect(followups.step(id)).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
    }
    expect(await followups.read(id)).toMatchObject({ status: 'sending' });
  });
});

test('of two concurrent steps one hands the follow-up over and the other waits', async () => {
  const id = await due();
  const steps = await Promise.all([followups.step(id), followups.step(id)]);
  expect(steps.some((step) => step.done)).toBe(true);
  expect(followups.askedOf(id)).toBe(1);
});

test('when a cancellation races a step, a follow-up answered with 200 is never handed over and one with 409 always is', async () => {
  let cancelled = 0;
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const id = await due();
        // Either request may start first, with different leads.
        const early = index % 2 === 0 ? [followups.step(id)] : [];
        if (early.length > 0) await pause(index * 4);
        const cancelling = followups.cancel(id);
        const [cancel] = await Promise.allSettled([cancelling, ...early, followups.step(id)]);
        await followups.step(id);
        const { status } = await followups.read(id);
        if (cancel.status === 'fulfilled') {
          cancelled += 1;
          expect({ status, handedOver: followups.askedOf(id) }).toEqual({ status: 'cancelled', handedOver: 0 });
        } else {
          expect(cancel.reason).toMatchObject({ code: 'followup_not_pending' });
          expect(followups.askedOf(id)).toBe(1);
        }
      }),
    );
  }
  expect(cancelled).toBeGreaterThan(0);
  expect(cancelled).toBeLessThan(200);
});

test('a follow-up due outside of the sending window waits for it in the store’s time zone and keeps its `due_at`', async () => {
  const hourAway = (new Date().getUTCHours() + 2) % 24;
  const hour = String(hourAway).padStart(2, '0');
  const windows = [{ weekdays: [...everyDay], from: `${hour}:00`, to: `${hour}:59` }];
  const set = (list: typeof windows) =>
    scheduling.rpc.call(updateSendingWindows, { body: { windows: list } }, testContext({ storeId: followups.storeId }));
  const { id, due_at } = await followups.create();
  await set(windows);
  const moved = await followups.read(id);
  expect(moved.due_at).toBe(due_at);
  expect(new Date(String(moved.next_attempt_at)).getUTCHours()).toBe(hourAway);
  await followups.makeDue(id);
  expect(await followups.step(id)).toMatchObject({ done: false, reason: 'the sending window is closed' });
  expect(followups.askedOf(id)).toBe(0);
  await set([]);
  expect(await followups.read(id)).toMatchObject({ status: 'pending', next_attempt_at: due_at });
  const wakeUps = await scheduling.wakeUps(followups.storeId);
  expect(wakeUps.map(({ signal }) => signal)).toEqual(expect.arrayContaining(['scheduled', 'rescheduled']));
});
