import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  disconnectCalendar,
  getCalendarConnection,
  getCalendarSync,
  syncCalendarEvent,
  updateAppointment,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { pausedStep, type ScriptedCalendar, scriptedCalendar } from '../../test/scripted-calendar.ts';
import { CalendarError, type CalendarErrorKind } from '../calendars/calendar-provider.ts';

let scheduling: TestScheduling;
let calendar: ScriptedCalendar;
let storeId: string;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: (connection) => calendar.open(connection) });
});
beforeEach(async () => {
  calendar = scriptedCalendar();
  storeId = randomUUID();
  await connect();
});
afterAll(() => scheduling?.stop());

const connect = () =>
  scheduling.rpc.call(
    connectCalendar,
    { body: { provider: 'caldav', url: 'https://dav.example.com/store/' } },
    testContext({ storeId }),
  );
const step = (appointment_id: string, timeoutMs?: number) =>
  scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id } }, testContext({ storeId, timeoutMs }));
const read = (appointmentId: string) =>
  scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, testContext({ storeId }));
const patch = (appointmentId: string, body: object) =>
  scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body }, testContext({ storeId }));
const connection = () => scheduling.rpc.call(getCalendarConnection, {}, testContext({ storeId }));
const failing =
  (kind: CalendarErrorKind, options: { retryAfterSeconds?: number; outage?: boolean } = {}) =>
  () => {
    throw new CalendarError(kind, `code_${kind}`, `It was ${kind}.`, options);
  };
/** Makes the next attempt due now. */
const makeDue = (appointmentId: string) =>
  scheduling.adminSql`update calendar_syncs set next_attempt_at = now() - interval '1 second' where appointment_id = ${appointmentId}`;
const puts = () => calendar.calls.flatMap((made) => (made.verb === 'put' ? [made] : []));

describe('an appointment and its event', () => {
  test('a creation adds the event, a change updates it under the same UID, and a cancellation removes it', async () => {
    const { id } = await scheduling.create(storeId, { title: 'Haircut', notes: 'window seat', duration_minutes: 45 });
    const uid = `${id}@mostrador`;
    expect(await step(id)).toEqual({ done: true, wake_at: null, reason: 'synced' });
    expect(calendar.events.get(uid)).toMatchObject({
      title: 'Haircut',
      notes: 'window seat',
      durationMinutes: 45,
      sequence: 0,
    });
    expect(await read(id)).toMatchObject({ state: 'synced', event_id: uid, attempts: 1, last_error: null });

    await patch(id, { scheduled_at: '2027-02-01T10:00:00Z' });
    expect(await read(id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await step(id)).toMatchObject({ done: true });
    expect(puts().at(-1)?.known).toEqual({ eventId: uid, href: `/${uid}.ics`, etag: '"1"' });
    expect(calendar.events.get(uid)).toMatchObject({ startsAt: new Date('2027-02-01T10:00:00Z'), sequence: 1 });

    await patch(id, { status: 'cancelled' });
    expect(await step(id)).toMatchObject({ done: true });
    expect(calendar.events.size).toBe(0);
    expect(await read(id)).toMatchObject({ state: 'synced', event_id: null, synced_at: expect.any(String) });
  });

  test('a change of metadata alone calls no calendar, whatever the state of the sync', async () => {
    const { id } = await scheduling.create(storeId);
    await patch(id, { metadata: { a: '1' } });
    expect(await read(id)).toMatchObject({ state: 'pending' });
    expect(await step(id)).toEqual({ done: true, wake_at: null, reason: 'synced' });
    await patch(id, { metadata: { a: '2' } });
    expect(await read(id)).toMatchObject({ state: 'synced' });
    expect(await step(id)).toEqual({ done: true, wake_at: null, reason: 'synced' });
    expect(puts()).toHaveLength(1);

    const paused = pausedStep();
    calendar.next(paused.step);
    await patch(id, { title: 'New' });
    const syncing = step(id);
    await paused.begun;
    await patch(id, { metadata: null });
    paused.end();
    await syncing;
    await makeDue(id);
    expect(await step(id)).toEqual({ done: true, wake_at: null, reason: 'synced' });
    expect(calendar.events.get(`${id}@mostrador`)).toMatchObject({ title: 'New', sequence: 4 });
    expect((await scheduling.wakeUps(storeId)).map(({ signal }) => signal)).toEqual(['created', 'changed']);
  });

  test('the event of an appointment that took place stays in the calendar', async () => {
    const { id } = await scheduling.create(storeId);
    await patch(id, { status: 'done' });
    await step(id);
    expect(calendar.events.size).toBe(1);
  });

  test('a synced appointment is not sent again', async () => {
    const { id } = await scheduling.create(storeId);
    await step(id);
    expect(await step(id)).toMatchObject({ done: true });
    expect(puts()).toHaveLength(1);
  });

  test('an appointment cancelled before its first recorded attempt is removed too: an unrecorded attempt may have created it', async () => {
    const { id } = await scheduling.create(storeId);
    await patch(id, { status: 'cancelled' });
    expect(await step(id)).toMatchObject({ done: true });
    expect(calendar.calls.at(-1)).toEqual({ verb: 'remove', eventId: `${id}@mostrador`, known: null });
  });

  test('an unknown appointment and one of another store are not sent', async () => {
    expect(await step(randomUUID())).toMatchObject({ done: true });
    const { id } = await scheduling.create(storeId);
    storeId = randomUUID();
    expect(await step(id)).toMatchObject({ done: true });
    expect(puts()).toEqual([]);
  });
});

describe('a calendar that is down', () => {
  test('is retried with growing delays, and the API and the workflow show when and why', async () => {
    const { id } = await scheduling.create(storeId);
    for (const [attempt, seconds] of [5, 10, 20].entries()) {
      calendar.next(failing('unavailable'));
      const sinceMs = Date.now();
      const next = await step(id);
      expect(next).toMatchObject({ done: false, reason: `attempt ${attempt + 1} failed (code_unavailable)` });
      const sync = await read(id);
      expect(sync).toMatchObject({
        state: 'pending',
        attempts: attempt + 1,
        last_error: { code: 'code_unavailable', detail: 'It was unavailable.' },
        next_attempt_at: next.wake_at,
      });
      expectDelay(next.wake_at, { sinceMs, least: seconds * 0.8, most: seconds * 1.2 });
      // An early step changes nothing.
      expect(await step(id)).toMatchObject({ done: false, wake_at: next.wake_at });
      await makeDue(id);
    }
    expect(puts()).toHaveLength(3);
    expect(await step(id)).toMatchObject({ done: true });
    expect(await read(id)).toMatchObject({ state: 'synced', attempts: 4, last_error: null, next_attempt_at: null });
  });

  test('with a Retry-After is called again at that time', async () => {
    const { id } = await scheduling.create(storeId);
    calendar.next(failing('throttled', { retryAfterSeconds: 90 }));
    const sinceMs = Date.now();
    const { wake_at } = await step(id);
    expectDelay(wake_at, { sinceMs, least: 90, most: 90 });
  });

  test('gets a changed appointment at once, despite the delay after a failed attempt', async () => {
    const { id } = await scheduling.create(storeId);
    calendar.next(failing('throttled', { retryAfterSeconds: 3600 }));
    await step(id);
    await patch(id, { title: 'Shave' });
    expect(await read(id)).toMatchObject({ state: 'pending', attempts: 0, last_error: null });
    expect(await step(id)).toMatchObject({ done: true });
  });

  test('is not called after five failures in a row, and a blocked call does not count as an attempt', async () => {
    const appointments = [];
    for (let count = 0; count < 6; count += 1) appointments.push(await scheduling.create(storeId));
    calendar.always(failing('unavailable', { outage: true }));
    const sinceMs = Date.now();
    for (const { id } of appointments.slice(0, 5)) await step(id);
    const last = appointments[5]?.id as string;
    const next = await step(last);
    expect(next).toMatchObject({ done: false, reason: expect.stringContaining('not called now') });
    expectDelay(next.wake_at, { sinceMs, least: 24, most: 45 });
    expect(puts()).toHaveLength(5);
    expect(await read(last)).toMatchObject({ state: 'pending', attempts: 0, next_attempt_at: next.wake_at });
  });

  test('is retried after an unexpected error of the adapter, whose text is not shown', async () => {
    const { id } = await scheduling.create(storeId, { title: 'Maria' });
    calendar.next(() => {
      throw new TypeError('cannot read Maria');
    });
    expect(await step(id)).toMatchObject({ done: false, reason: 'attempt 1 failed (calendar_failed)' });
    expect(JSON.stringify(await read(id))).not.toContain('Maria');
  });

  test('is left early enough to record the outcome within the request', async () => {
    const { id } = await scheduling.create(storeId);
    calendar.next(pausedStep().step);
    expect(await step(id, 2_500)).toMatchObject({ done: false });
    expect(await read(id)).toMatchObject({ state: 'pending', attempts: 1, last_error: expect.any(Object) });
  });
});

describe('needs_attention', () => {
  test('refused credentials stop all syncs of the connection, and reconnecting runs every one of them', async () => {
    const [first, second] = [await scheduling.create(storeId), await scheduling.create(storeId)];
    calendar.next(failing('refused'));
    expect(await step(first.id)).toEqual({
      done: false,
      wake_at: null,
      reason: 'the calendar sync needs attention (code_refused)',
    });
    expect(await connection()).toMatchObject({ provider: 'caldav', status: 'needs_attention', reason: null });
    for (const { id } of [first, second]) {
      expect(await read(id)).toMatchObject({
        state: 'needs_attention',
        last_error: { code: 'code_refused', detail: 'It was refused.' },
        next_attempt_at: null,
      });
      expect(await step(id)).toMatchObject({ done: false, wake_at: null });
    }
    const third = await scheduling.create(storeId);
    expect(await step(third.id)).toMatchObject({ done: false, wake_at: null });
    expect(await read(third.id)).toMatchObject({ state: 'needs_attention' });
    expect(puts()).toHaveLength(1);

    expect(await connect()).toMatchObject({ appointments_to_sync: 3 });
    for (const { id } of [first, second, third]) {
      expect(await step(id)).toMatchObject({ done: true });
      expect(await read(id)).toMatchObject({ state: 'synced' });
    }
    expect(await connection()).toMatchObject({ provider: 'caldav', status: 'connected', reason: null });
  });

  test('a rejected event stops the sync of its appointment only, until the appointment changes', async () => {
    const [first, second] = [await scheduling.create(storeId), await scheduling.create(storeId)];
    calendar.next(failing('rejected'));
    expect(await step(first.id)).toMatchObject({ done: false, wake_at: null });
    expect(await read(first.id)).toMatchObject({ state: 'needs_attention', last_error: { code: 'code_rejected' } });
    expect(await step(second.id)).toMatchObject({ done: true });
    expect(await connection()).toMatchObject({ status: 'connected' });

    await patch(first.id, { title: 'Shorter' });
    expect(await step(first.id)).toMatchObject({ done: true });
  });

  test('credentials that cannot be decrypted count as an outage, which ends when the key is configured again', async () => {
    const { id } = await scheduling.create(storeId);
    const [row] = await scheduling.adminSql`
      select sealed_credentials from calendar_connections where store_id = ${storeId}`;
    const set = (sealed: string) => scheduling.adminSql`
      update calendar_connections set sealed_credentials = ${sealed} where store_id = ${storeId}`;
    await set(String(row?.sealed_credentials).replace('v1.test.', 'v1.gone.'));
    expect(await step(id)).toMatchObject({ done: false, reason: 'attempt 1 failed (credentials_unreadable)' });
    await set(String(row?.sealed_credentials));
    await makeDue(id);
    expect(await step(id)).toMatchObject({ done: true });
  });
});

describe('concurrency', () => {
  test('of concurrent steps one calls, and the others wait until its lease ends', async () => {
    const { id } = await scheduling.create(storeId);
    const paused = pausedStep();
    calendar.next(paused.step);
    const sinceMs = Date.now();
    const first = step(id);
    await paused.begun;
    const others = await Promise.all(Array.from({ length: 5 }, () => step(id)));
    for (const other of others) {
      expect(other).toMatchObject({ done: false, reason: 'another attempt is running' });
      expectDelay(other.wake_at, { sinceMs, least: 15, most: 15 });
    }
    paused.end();
    expect(await first).toMatchObject({ done: true });
    expect(puts()).toHaveLength(1);
  });

  test('after the lease of a killed attempt a new one runs, and the killed one can record nothing', async () => {
    const { id } = await scheduling.create(storeId);
    const paused = pausedStep();
    calendar.next(paused.step);
    const lost = step(id);
    await paused.begun;
    await scheduling.adminSql`
      update calendar_syncs set lease_until = now(), next_attempt_at = now() - interval '1 second' where appointment_id = ${id}`;
    expect(await step(id)).toMatchObject({ done: true });
    const synced = await read(id);
    paused.end();
    expect(await lost).toMatchObject({ done: false, reason: expect.stringContaining('changed meanwhile') });
    expect(await read(id)).toEqual(synced);
    expect(calendar.events.size).toBe(1);
  });

  test('a change during the call is sent by the next step', async () => {
    const { id } = await scheduling.create(storeId);
    const paused = pausedStep();
    calendar.next(paused.step);
    const running = step(id);
    await paused.begun;
    await patch(id, { title: 'Shave' });
    const sinceMs = Date.now();
    paused.end();
    const next = await running;
    expect(next.done).toBe(false);
    expectDelay(next.wake_at, { sinceMs, least: 0, most: 0 });
    expect(await read(id)).toMatchObject({ state: 'pending' });
    expect(await step(id)).toMatchObject({ done: true });
    expect(calendar.events.get(`${id}@mostrador`)).toMatchObject({ title: 'Shave', sequence: 1 });
  });

  test('a rejection does not stop the sync when the appointment has changed during the call', async () => {
    const { id } = await scheduling.create(storeId);
    calendar.next(async () => {
      await patch(id, { title: 'Shorter' });
      failing('rejected')();
    });
    expect(await step(id)).toMatchObject({ done: false, wake_at: expect.any(String) });
    expect(await step(id)).toMatchObject({ done: true });
  });

  test('a refusal of the old connection does not mark the new one', async () => {
    const { id } = await scheduling.create(storeId);
    calendar.next(async () => {
      await connect();
      failing('refused')();
    });
    expect(await step(id)).toMatchObject({ done: false, wake_at: expect.any(String) });
    expect(await connection()).toMatchObject({ status: 'connected' });
    expect(await step(id)).toMatchObject({ done: true });
  });

  test('a calendar that is disconnected during the call leaves nothing to do', async () => {
    const { id } = await scheduling.create(storeId);
    calendar.next(async () => {
      await scheduling.rpc.call(disconnectCalendar, {}, testContext({ storeId }));
    });
    await step(id);
    expect(await step(id)).toMatchObject({ done: true });
    expect(await read(id)).toMatchObject({ state: 'not_connected' });
  });

  test('at most four calls of one calendar run at once; the fifth waits under 3 s and does not count as an attempt', async () => {
    const paused = pausedStep();
    calendar.always(paused.step);
    const appointments = [];
    for (let count = 0; count < 5; count += 1) appointments.push(await scheduling.create(storeId));
    const running = appointments.slice(0, 4).map(({ id }) => step(id));
    await expect.poll(() => puts().length).toBe(4);
    const fifth = appointments[4]?.id as string;
    const sinceMs = Date.now();
    const next = await step(fifth);
    expect(next).toMatchObject({ done: false, reason: expect.stringContaining('busy') });
    expectDelay(next.wake_at, { sinceMs, least: 0, most: 3 });
    expect(await read(fifth)).toMatchObject({ attempts: 0 });
    paused.end();
    await Promise.all(running);
    await makeDue(fifth);
    expect(await step(fifth)).toMatchObject({ done: true });
  });

  test('a request without enough time for a call is rejected before the attempt begins', async () => {
    const { id } = await scheduling.create(storeId);
    await expect(step(id, 1_500)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await read(id)).toMatchObject({ attempts: 0 });
  });
});
