import { randomUUID } from 'node:crypto';
import {
  connectStoreCalendar,
  disconnectStoreCalendar,
  getCalendarSync,
  getStoreCalendar,
  type RequestOf,
  showCalendar,
  syncCalendarEvent,
  type UserRole,
} from '@mostrador/contracts';
import { localEgress, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { type ScriptedCalendar, scriptedCalendar } from '../../test/scripted-calendar.ts';
import { CalendarError } from './calendar-provider.ts';
import { createProviders } from './providers.ts';

type Body = RequestOf<typeof connectStoreCalendar>['body'];

let scheduling: TestScheduling;
let calendar: ScriptedCalendar;
let storeId: string;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: (connection) => calendar.open(connection) });
});
beforeEach(() => {
  calendar = scriptedCalendar();
  storeId = randomUUID();
});
afterAll(() => scheduling?.stop());

const as = (role?: UserRole, store = storeId) => testContext({ storeId: store, role });
const get = (role?: UserRole, store?: string) => scheduling.rpc.call(getStoreCalendar, {}, as(role, store));
const connect = (body: Body, role?: UserRole) => scheduling.rpc.call(connectStoreCalendar, { body }, as(role));
const disconnect = (role?: UserRole) => scheduling.rpc.call(disconnectStoreCalendar, {}, as(role));

const password = 'open sesame';
const caldav = {
  provider: 'caldav',
  url: 'https://dav.example.com/x/',
  username: 'store',
  secrets: { password },
} as const;
const none = { provider: null, status: 'not_connected', reason: null, connected_at: null, feed_url: null };

test('an owner connects a calendar, which no answer shows with its password, and ends it', async () => {
  expect(await get('manager')).toMatchObject(none);
  const connected = await connect(caldav, 'owner');
  expect(connected).toMatchObject({ provider: 'caldav', status: 'connected', url: caldav.url, username: 'store' });
  expect(JSON.stringify([connected, await get('manager')])).not.toContain(password);
  expect(calendar.calls).toEqual([{ verb: 'verify' }]);
  expect(calendar.connection?.credentials).toEqual({ password });
  expect(await get('manager')).toEqual(connected);
  expect(await get('manager', randomUUID())).toMatchObject(none);

  expect(await disconnect('owner')).toEqual({ done: true });
  expect(await get('owner')).toMatchObject(none);
  await expect(disconnect('owner')).rejects.toMatchObject({ code: 'calendar_not_connected' });
});

test('the feed shows its address, which a new connection keeps unless it is to rotate', async () => {
  const { feed_url } = await connect({ provider: 'feed' }, 'owner');
  expect(feed_url).toMatch(/^http.+\/calendars\/.+\.ics$/);
  expect((await connect({ provider: 'feed' }, 'owner')).feed_url).toBe(feed_url);
  expect((await get('manager')).feed_url).toBe(feed_url);
  expect((await connect({ provider: 'feed', rotate: true }, 'owner')).feed_url).not.toBe(feed_url);
});

test('a refusal is shown with its code and since when, and a new connection ends it', async () => {
  await connect(caldav, 'owner');
  const { id } = await scheduling.create(storeId);
  calendar.next(() => {
    throw new CalendarError('refused', 'unauthorized', 'The calendar refused the password.');
  });
  await scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, as());
  const { status, reason, appointments_needing_attention } = await get('manager');
  expect({ status, appointments_needing_attention }).toEqual({
    status: 'needs_attention',
    appointments_needing_attention: 1,
  });
  expect(reason).toMatchObject({ code: 'unauthorized', detail: 'The calendar refused the password.' });
  expect(Math.abs(Date.parse(String(reason?.since)) - Date.now())).toBeLessThan(60_000);
  // The admin command shows the same as before.
  expect(await scheduling.rpc.call(showCalendar, {}, as())).toMatchObject({
    status: 'needs_attention',
    reason: null,
    last_error: 'unauthorized: The calendar refused the password.',
  });

  expect(await connect(caldav, 'owner')).toMatchObject({ status: 'connected', reason: null });
  const sync = await scheduling.rpc.call(getCalendarSync, { params: { appointmentId: id } }, as());
  expect(sync.state).toBe('pending');
});

test('the first failures are counted although the calendar is connected, until an attempt succeeds', async () => {
  await connect(caldav, 'owner');
  const { id } = await scheduling.create(storeId);
  await scheduling.create(storeId);
  const sync = () => scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, as());
  calendar.next(() => {
    throw new CalendarError('unavailable', 'calendar_unavailable', 'The calendar answered with 500.');
  });
  await sync();
  const counts = { status: 'connected', appointments_pending: 2, appointments_failing: 1 };
  expect(await get('manager')).toMatchObject(counts);
  expect(await scheduling.rpc.call(showCalendar, {}, as())).toMatchObject(counts);
  await scheduling.adminSql`update calendar_syncs set next_attempt_at = now() - interval '1 second' where appointment_id = ${id}`;
  await sync();
  expect(await get('manager')).toMatchObject({ appointments_pending: 1, appointments_failing: 0 });
});

test('what the calendar refuses is not connected', async () => {
  calendar.next(() => {
    throw new CalendarError('refused', 'unauthorized', 'The calendar refused the password.');
  });
  await expect(connect(caldav, 'owner')).rejects.toMatchObject({ code: 'calendar_refused' });
  expect(await get('owner')).toMatchObject(none);
});

test.each<[string, Body, string]>([
  ['a CalDAV calendar without an address', { provider: 'caldav' }, '#/url'],
  ['a password that would go over http', { ...caldav, url: 'http://dav.example.com/' }, '#/url'],
  ['a feed with a password', { provider: 'feed', secrets: { password } }, '#/secrets/password'],
  ['Google without its secrets', { provider: 'google', calendar_id: 'primary' }, '#/secrets/refresh_token'],
])('%s is rejected as by the admin command, and the fault has no secret', async (_what, body, pointer) => {
  const error = await connect(body, 'owner').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'validation_failed' });
  expect(JSON.stringify(error)).not.toContain(password);
  expect(
    (error as { members: { errors: { pointer: string }[] } }).members.errors.map((fault) => fault.pointer),
  ).toContain(pointer);
  expect(calendar.calls).toEqual([]);
});

test('an address in a private network is not called, and the answer does not say what is there', async () => {
  calendar = { ...calendar, open: createProviders(localEgress()) };
  for (const url of ['https://169.254.169.254/latest/meta-data/', 'https://10.0.0.1/']) {
    const error = await connect({ ...caldav, url }, 'owner').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'calendar_refused' });
    expect((error as Error).message).not.toMatch(/ECONN|timeout|status/i);
  }
});

test.each<[string, () => Promise<unknown>, UserRole]>([
  ['reading', () => get('seller'), 'manager'],
  ['reading without a person', () => get(), 'manager'],
  ['connecting', () => connect(caldav, 'manager'), 'owner'],
  ['connecting without a person', () => connect(caldav), 'owner'],
  ['disconnecting', () => disconnect('manager'), 'owner'],
])('%s needs a role', async (_what, ask, required_role) => {
  await expect(ask()).rejects.toMatchObject({ code: 'role_required', members: { required_role } });
  expect(calendar.calls).toEqual([]);
});
