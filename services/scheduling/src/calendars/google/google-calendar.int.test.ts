import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  getCalendarConnection,
  getCalendarSync,
  showCalendar,
  syncCalendarEvent,
  updateAppointment,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { backendError, rateLimited } from '@mostrador/testing/providers/google-calendar/errors';
import { type GoogleServer, startGoogleCalendar } from '@mostrador/testing/providers/google-calendar/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../../test/scheduling.ts';
import { createHandlers } from '../../handlers.ts';

let scheduling: TestScheduling;
let google: GoogleServer;
let storeId: string;
beforeAll(async () => {
  [scheduling, google] = await Promise.all([startScheduling(), startGoogleCalendar()]);
});
afterAll(() => Promise.all([scheduling?.stop(), google?.stop()]));
beforeEach(() => {
  google.clear();
  storeId = randomUUID();
});

const connect = (secrets = google.secrets()) =>
  scheduling.rpc.call(
    connectCalendar,
    {
      body: {
        provider: 'google',
        calendar_id: google.calendarId,
        api_url: google.url,
        token_url: google.tokenUrl,
        secrets,
      },
    },
    testContext({ storeId }),
  );
const step = (appointment_id: string) =>
  scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id } }, testContext({ storeId }));
const read = (appointmentId: string) =>
  scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, testContext({ storeId }));
const patch = (appointmentId: string, body: object) =>
  scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body }, testContext({ storeId }));
const isWrite = ({ isWrite }: { isWrite: boolean }) => isWrite;

test('one event follows the appointment through creation, change and cancellation', async () => {
  expect(await connect()).toMatchObject({ provider: 'google', status: 'connected', appointments_to_sync: 0 });
  const { id } = await scheduling.create(storeId, { title: 'Eye test', duration_minutes: 45 });
  expect(await step(id)).toMatchObject({ done: true });
  const uid = `${id}@mostrador`;
  expect(await read(id)).toMatchObject({ state: 'synced', provider: 'google', event_id: uid });
  expect(await google.seen()).toMatchObject([{ uid, title: 'Eye test', duration_minutes: 45 }]);

  await patch(id, { scheduled_at: '2027-02-01T10:00:00Z' });
  expect(await step(id)).toMatchObject({ done: true });
  expect(await google.seen()).toMatchObject([{ uid, start: '2027-02-01T10:00:00Z' }]);

  await patch(id, { status: 'cancelled' });
  expect(await step(id)).toMatchObject({ done: true });
  expect(await google.seen()).toEqual([]);
  expect(google.store.journal.map(({ verb }) => verb)).toEqual(['insert', 'update', 'delete']);
});

test('a new time restores an event that a person deleted, and the appointment keeps its event_id', async () => {
  await connect();
  const { id } = await scheduling.create(storeId);
  await step(id);
  const { event_id } = await read(id);
  google.store.delete(id.replaceAll('-', ''));
  // Only a new title is no reason: the deletion is a cancellation.
  await patch(id, { title: 'Moved' });
  await step(id);
  expect(await google.seen()).toEqual([]);
  await patch(id, { scheduled_at: '2027-02-01T10:00:00Z' });
  await step(id);
  expect(await read(id)).toMatchObject({ state: 'synced', event_id });
  await patch(id, { title: 'Moved again' });
  await step(id);
  expect(await google.seen()).toMatchObject([{ title: 'Moved again' }]);
});

test('a revoked token needs attention, and reconnecting syncs every appointment without duplicates', async () => {
  await connect();
  const [first, second] = [await scheduling.create(storeId), await scheduling.create(storeId)];
  await step(first.id);
  google.revoke();
  await patch(first.id, { title: 'Changed' });
  for (const { id } of [first, second]) {
    expect(await step(id)).toMatchObject({ done: false, wake_at: null });
    expect(await read(id)).toMatchObject({
      state: 'needs_attention',
      last_error: { code: 'calendar_credentials_refused', detail: expect.stringContaining('invalid_grant') },
      next_attempt_at: null,
    });
  }
  const connection = () => scheduling.rpc.call(getCalendarConnection, {}, testContext({ storeId }));
  expect(await connection()).toMatchObject({ provider: 'google', status: 'needs_attention', reason: null });

  expect(await connect()).toMatchObject({ appointments_to_sync: 2 });
  for (const { id } of [first, second]) {
    expect(await step(id)).toMatchObject({ done: true });
    expect(await read(id)).toMatchObject({ state: 'synced' });
  }
  expect(await connection()).toMatchObject({ provider: 'google', status: 'connected', reason: null });
  expect(await google.seen()).toHaveLength(2);
});

test('a rate limit keeps the sync pending until the Retry-After of Google', async () => {
  await connect();
  const { id } = await scheduling.create(storeId);
  google.misbehave(rateLimited(403, 'userRateLimitExceeded', 90), isWrite);
  const sinceMs = Date.now();
  const { wake_at } = await step(id);
  expectDelay(wake_at, { sinceMs, least: 90, most: 90 });
  expect(await read(id)).toMatchObject({
    state: 'pending',
    attempts: 1,
    last_error: { code: 'calendar_throttled' },
    next_attempt_at: wake_at,
  });
  expect(google.store.journal).toEqual([]);
});

test('after a lost response the next attempt leaves one event', async () => {
  await connect();
  const { id } = await scheduling.create(storeId);
  google.misbehave('accept and hang up', isWrite);
  expect(await step(id)).toMatchObject({ done: false, reason: 'attempt 1 failed (calendar_unreachable)' });
  await scheduling.adminSql`update calendar_syncs set next_attempt_at = now() - interval '1 second' where appointment_id = ${id}`;
  expect(await step(id)).toMatchObject({ done: true });
  expect(google.store.journal).toEqual([{ verb: 'insert', id: id.replaceAll('-', '') }]);
});

test('a connect with unusable settings is rejected with the reason and stores nothing', async () => {
  const refused = (detail: string) => ({ code: 'calendar_refused', detail: expect.stringContaining(detail) });
  await expect(connect({ ...google.secrets(), refresh_token: 'x' })).rejects.toMatchObject(refused('invalid_grant'));
  google.account.role = 'reader';
  await expect(connect()).rejects.toMatchObject(refused('calendar_read_only'));
  google.misbehave(backendError());
  await expect(connect()).rejects.toMatchObject(refused('calendar_unavailable'));
  const shown = await scheduling.rpc.call(showCalendar, {}, testContext({ storeId }));
  expect(shown).toMatchObject({ provider: null, status: 'not_connected' });
});

test('the API, the row and the log show no secret of the connection', async () => {
  const lines: string[] = [];
  const { log } = testContext();
  log.level = 'trace';
  const stream = Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream');
  Object.assign(log, { [stream as symbol]: { write: (line: string) => void lines.push(line) } });

  await connect();
  const shown = await scheduling.rpc.call(showCalendar, {}, testContext({ storeId }));
  expect(shown).toMatchObject({ provider: 'google', calendar_id: google.calendarId, url: null, username: null });
  const [row] = await scheduling.adminSql`select * from calendar_connections where store_id = ${storeId}`;

  const { syncCalendarEvent: handle } = createHandlers(scheduling.dependencies);
  const { id } = await scheduling.create(storeId, { title: 'Maria' });
  google.misbehave(backendError(), isWrite);
  await handle(testContext({ storeId, log }), { body: { appointment_id: id } });
  const secrets = [...Object.values(google.secrets()), ...google.issued, 'Maria'];
  google.revoke();
  await scheduling.adminSql`update calendar_syncs set next_attempt_at = now() - interval '1 second' where appointment_id = ${id}`;
  await handle(testContext({ storeId, log }), { body: { appointment_id: id } });

  expect(lines.join('\n')).toContain('a calendar attempt failed');
  for (const secret of secrets) expect(lines.join('\n') + JSON.stringify([shown, row])).not.toContain(secret);
});
