import { createHash, randomUUID } from 'node:crypto';
import {
  connectCalendar,
  disconnectCalendar,
  getCalendarSync,
  showCalendar,
  updateAppointment,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inHours, publicUrl, startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { type ScriptedCalendar, scriptedCalendar } from '../../test/scripted-calendar.ts';
import { CalendarError } from './calendar-provider.ts';
import { openCredentials } from './credentials.ts';

let scheduling: TestScheduling;
let calendar: ScriptedCalendar;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: (connection) => calendar.open(connection) });
});
beforeEach(() => {
  calendar = scriptedCalendar();
});
afterAll(() => scheduling?.stop());

type Body = Parameters<typeof scheduling.rpc.call<typeof connectCalendar>>[1]['body'];
const caldav: Body = {
  provider: 'caldav',
  url: 'https://dav.example.com/store/',
  username: 'store',
  secrets: { password: 'open sesame' },
};
const connect = (storeId: string, body: Body = caldav) =>
  scheduling.rpc.call(connectCalendar, { body }, testContext({ storeId }));
const connectionsOf = (storeId: string) => scheduling.adminSql`
  select * from calendar_connections where store_id = ${storeId} order by connected_at, disconnected_at nulls last`;
const stateOf = async (storeId: string, appointmentId: string) =>
  (await scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, testContext({ storeId }))).state;
const cancel = (storeId: string, appointmentId: string) =>
  scheduling.rpc.call(
    updateAppointment,
    { params: { appointmentId }, body: { status: 'cancelled' } },
    testContext({ storeId }),
  );

describe('validation', () => {
  test.each(['unavailable', 'throttled', 'refused', 'rejected'] as const)(
    'a calendar that fails the check (%s) is rejected with the reason, and nothing is stored',
    async (kind) => {
      const storeId = randomUUID();
      await connect(storeId, { provider: 'feed' });
      calendar.next(() => {
        throw new CalendarError(kind, 'some_code', 'What it answered.');
      });
      await expect(connect(storeId)).rejects.toMatchObject({
        code: 'calendar_refused',
        detail: 'some_code: What it answered.',
      });
      expect(await connectionsOf(storeId)).toMatchObject([{ provider: 'feed', disconnected_at: null }]);
    },
  );

  test('a body that does not fit the provider is rejected with all of its faults', async () => {
    await expect(connect(randomUUID(), { provider: 'caldav', username: 'store' })).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer: '#/url' }, { pointer: '#/secrets/password' }] },
    });
  });
});

describe('credentials', () => {
  test('are encrypted and bound to their row in the database, and reach the calendar unchanged', async () => {
    const storeId = randomUUID();
    await connect(storeId);
    expect(calendar.connection).toEqual({
      storeId,
      provider: 'caldav',
      settings: { url: caldav.url, username: 'store' },
      credentials: { password: 'open sesame' },
    });
    const [row] = await connectionsOf(storeId);
    expect(JSON.stringify(row)).not.toContain('sesame');
    const { vault } = scheduling.dependencies;
    expect(openCredentials(vault, storeId, row as never)).toEqual({ password: 'open sesame' });
    const elsewhere = () => openCredentials(vault, randomUUID(), row as never);
    expect(elsewhere).toThrow(expect.objectContaining({ code: 'credentials_unreadable', kind: 'unavailable' }));
  });

  test('of a replaced calendar are deleted', async () => {
    const storeId = randomUUID();
    await connect(storeId);
    await connect(storeId, { provider: 'feed' });
    expect(await connectionsOf(storeId)).toMatchObject([
      { provider: 'caldav', sealed_credentials: null, disconnected_at: expect.any(Date) },
      { provider: 'feed', disconnected_at: null },
    ]);
  });
});

test('the address of a feed has 256 random bits, which are stored as a hash and encrypted', async () => {
  const storeId = randomUUID();
  const { feed_url } = await connect(storeId, { provider: 'feed' });
  const [, token] = new RegExp(`^${publicUrl}/calendars/([A-Za-z0-9_-]{43})\\.ics$`).exec(feed_url ?? '') ?? [];
  const [row] = await connectionsOf(storeId);
  expect(row?.feed_token_hash).toEqual(createHash('sha256').update(String(token)).digest());
  expect(JSON.stringify(row)).not.toContain(token);
});

test('a feed that is connected again keeps its address, also after another calendar or none', async () => {
  const storeId = randomUUID();
  const { feed_url } = await connect(storeId, { provider: 'feed' });
  expect(await connect(storeId, { provider: 'feed' })).toMatchObject({ feed_url });
  expect(await scheduling.rpc.call(showCalendar, {}, testContext({ storeId }))).toMatchObject({ feed_url });
  await connect(storeId);
  expect(await scheduling.rpc.call(showCalendar, {}, testContext({ storeId }))).toMatchObject({ feed_url: null });
  expect(await connect(storeId, { provider: 'feed' })).toMatchObject({ feed_url });
  await scheduling.rpc.call(disconnectCalendar, {}, testContext({ storeId }));
  expect(await connect(storeId, { provider: 'feed' })).toMatchObject({ feed_url });
  expect((await connect(randomUUID(), { provider: 'feed' })).feed_url).not.toBe(feed_url);
});

test('a feed gets a new address only on request, and keeps that one', async () => {
  const storeId = randomUUID();
  const { feed_url } = await connect(storeId, { provider: 'feed' });
  const rotated = await connect(storeId, { provider: 'feed', rotate: true });
  expect(rotated.feed_url).not.toBe(feed_url);
  expect(await connect(storeId, { provider: 'feed' })).toMatchObject({ feed_url: rotated.feed_url });
  const kept = (await connectionsOf(storeId)).filter((row) => row.sealed_feed_token !== null);
  expect(kept).toMatchObject([{ disconnected_at: null }]);
  await expect(connect(storeId, { ...caldav, rotate: true })).rejects.toMatchObject({
    members: { errors: [{ pointer: '#/rotate', detail: 'is not used by caldav' }] },
  });
});

test('of six concurrent connects one calendar stays connected', async () => {
  const storeId = randomUUID();
  await Promise.all(Array.from({ length: 6 }, () => connect(storeId)));
  const connections = await connectionsOf(storeId);
  expect(connections).toHaveLength(6);
  expect(connections.filter(({ disconnected_at }) => disconnected_at === null)).toHaveLength(1);
});

describe('which appointments are synced', () => {
  test('future scheduled appointments are synced, and their workflows are woken', async () => {
    const storeId = randomUUID();
    const lead_id = scheduling.addLead(storeId);
    const ahead = await scheduling.create(storeId, { lead_id });
    const past = await scheduling.create(storeId, { scheduled_at: inHours(-1) });
    const cancelled = await scheduling.create(storeId);
    await cancel(storeId, cancelled.id);

    expect(await connect(storeId)).toEqual({
      provider: 'caldav',
      status: 'connected',
      feed_url: null,
      appointments_to_sync: 1,
    });
    expect(await scheduling.wakeUps(storeId)).toEqual([{ entity_id: ahead.id, lead_id, signal: 'calendar_connected' }]);
    expect(await stateOf(storeId, ahead.id)).toBe('pending');
    expect(await stateOf(storeId, past.id)).toBe('not_connected');
    expect(await stateOf(storeId, cancelled.id)).toBe('not_connected');
  });

  test('another calendar starts without the state of the old one and skips what was cancelled there', async () => {
    const storeId = randomUUID();
    await connect(storeId);
    const kept = await scheduling.create(storeId);
    const cancelled = await scheduling.create(storeId);
    await scheduling.adminSql`
      update calendar_syncs set state = 'synced', next_attempt_at = null, event_id = 'e', href = '/old', etag = '"1"',
        synced_version = desired_version, synced_at = now()
      where appointment_id = ${kept.id}`;
    await cancel(storeId, cancelled.id);
    await scheduling.adminSql`delete from outbox`;

    const elsewhere = await connect(storeId, { ...caldav, url: 'https://dav.example.com/another/' });
    expect(elsewhere.appointments_to_sync).toBe(1);
    const syncs = await scheduling.adminSql`select * from calendar_syncs where store_id = ${storeId}`;
    expect(syncs).toMatchObject([
      { appointment_id: kept.id, state: 'pending', event_id: null, href: null, etag: null, synced_version: null },
    ]);
    // The workflow of the cancelled appointment is woken too, so that it ends.
    expect((await scheduling.wakeUps(storeId)).map(({ entity_id }) => entity_id).sort()).toEqual(
      [kept.id, cancelled.id].sort(),
    );
  });

  test('reconnecting the same calendar resumes unfinished syncs, including the removal of cancelled appointments', async () => {
    const storeId = randomUUID();
    await connect(storeId);
    const kept = await scheduling.create(storeId);
    const cancelled = await scheduling.create(storeId);
    await cancel(storeId, cancelled.id);
    await scheduling.adminSql`
      update calendar_syncs
      set state = 'needs_attention', next_attempt_at = null, last_error_code = 'unauthorized', last_error_detail = 'No.'
      where store_id = ${storeId}`;
    const reconnected = await connect(storeId, {
      ...caldav,
      // Another spelling of the address.
      url: 'https://DAV.example.com/%73tore',
      secrets: { password: 'the new one' },
    });
    expect(reconnected.appointments_to_sync).toBe(2);
    for (const { id } of [kept, cancelled]) expect(await stateOf(storeId, id)).toBe('pending');
  });

  test('one request syncs 1,000 appointments', async () => {
    const storeId = randomUUID();
    await scheduling.adminSql`
      insert into appointments (store_id, title, scheduled_at, duration_minutes)
      select ${storeId}, 'x', now() + n * interval '1 hour', 60 from generate_series(1, 1000) n`;
    expect((await connect(storeId)).appointments_to_sync).toBe(1000);
    expect(await scheduling.wakeUps(storeId)).toHaveLength(1000);
  });
});
