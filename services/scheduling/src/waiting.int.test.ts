import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  getCalendarSync,
  giveUpWaitingScheduling,
  listWaitingScheduling,
  operatorWaitingOperations,
  type RequestOf,
  retryWaitingScheduling,
  syncCalendarEvent,
  type UserRole,
  updateAppointment,
  type WaitingKind,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../test/followups.ts';
import { inHours, startScheduling, type TestScheduling } from '../test/scheduling.ts';
import { type ScriptedCalendar, scriptedCalendar } from '../test/scripted-calendar.ts';
import { CalendarError } from './calendars/calendar-provider.ts';

type Change = Omit<RequestOf<typeof giveUpWaitingScheduling>['body'], 'dry_run'> & { dry_run?: boolean };

let scheduling: TestScheduling;
let calendar: ScriptedCalendar;
let followups: TestFollowups;
let storeId: string;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: (connection) => calendar.open(connection) });
});
beforeEach(async () => {
  calendar = scriptedCalendar();
  followups = await startFollowups(scheduling);
  storeId = followups.storeId;
  await scheduling.rpc.call(connectCalendar, { body: { provider: 'caldav', url: 'https://dav.example.com/' } }, as());
});
afterEach(() => followups?.stop());
afterAll(() => scheduling?.stop());

const as = (role?: UserRole, store = storeId) => testContext({ storeId: store, role });
const list = async (body: { kind?: WaitingKind; after?: never; limit?: number } = {}, store = storeId) =>
  (await scheduling.rpc.call(listWaitingScheduling, { body: { limit: 50, ...body } }, as('manager', store))).data;
const retry = (body: Change, role: UserRole = 'owner', store = storeId) =>
  scheduling.rpc.call(retryWaitingScheduling, { body: { dry_run: false, ...body } }, as(role, store));
const giveUp = (body: Change, role: UserRole = 'owner', store = storeId) =>
  scheduling.rpc.call(giveUpWaitingScheduling, { body: { dry_run: false, ...body } }, as(role, store));
const step = (appointment_id: string) => scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id } }, as());
const syncOf = (appointmentId: string) => scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, as());
const forget = () => scheduling.adminSql`delete from outbox where store_id = ${storeId}`;
const signals = async () => (await scheduling.wakeUps(storeId)).map(({ entity_id, signal }) => ({ entity_id, signal }));
/** Every row of the store, to see that nothing changed. */
const rows = () => scheduling.adminSql`
  select (select jsonb_agg(s order by appointment_id) from calendar_syncs s where store_id = ${storeId}) as syncs,
    (select jsonb_agg(f order by id) from followups f where store_id = ${storeId}) as followups,
    (select count(*)::int from outbox where store_id = ${storeId}) as outbox,
    (select count(*)::int from feed_entries where store_id = ${storeId}) as feed`;

const down = () => {
  throw new CalendarError('unavailable', 'caldav_503', 'The calendar server fails.');
};
const rejected = () => {
  throw new CalendarError('rejected', 'caldav_400', 'The calendar rejected the event.');
};
/** An appointment whose sync has just failed, and waits for its next attempt. */
async function failedSync(how = down): Promise<string> {
  const { id } = await scheduling.create(storeId);
  calendar.next(how);
  await step(id);
  return id;
}
const dueFollowup = async (hoursAgo = 1) => {
  const { id } = await followups.create();
  await scheduling.adminSql`
    update followups set due_at = ${inHours(-hoursAgo)}::timestamptz(3), next_attempt_at = now() - interval '1 second' where id = ${id}`;
  return id;
};

describe('the list', () => {
  test('has what waits of all kinds, the oldest first, and nothing of another store', async () => {
    const failed = await failedSync();
    const refused = await failedSync(rejected);
    const late = await dueFollowup(3);
    await followups.create({ due_at: inHours(1) });
    const synced = await scheduling.create(storeId);
    await step(synced.id);
    expect(await list()).toEqual([
      expect.objectContaining({ kind: 'followup', id: late, lead_id: followups.leadId, reason: 'due', attempts: 0 }),
      expect.objectContaining({
        kind: 'calendar_sync',
        id: failed,
        reason: 'failed_attempt',
        detail: 'The last attempt failed. The next one follows by itself. (caldav_503)',
        attempts: 1,
        until: expect.stringMatching(/Z$/),
        workflow_id: `appointment:${failed}`,
        endpoint_id: null,
      }),
      expect.objectContaining({ kind: 'calendar_sync', id: refused, reason: 'needs_attention', until: null }),
    ]);
    expect((await list({ kind: 'calendar_sync' })).map(({ id }) => id)).toEqual([failed, refused]);
    expect(await list({}, randomUUID())).toEqual([]);
  });

  test('a walk by place shows each item once', async () => {
    const ids = new Set<string>();
    for (let count = 0; count < 3; count += 1) ids.add(await dueFollowup(2)).add(await failedSync());
    const seen: string[] = [];
    for (let after: object | undefined; ; ) {
      const page = await list({ limit: 2, ...(after && { after: after as never }) });
      const last = page.at(-1);
      if (!last) break;
      seen.push(...page.map(({ id }) => id));
      after = { since: last.since, kind: last.kind, id: last.id };
    }
    expect(seen).toHaveLength(ids.size);
    expect(new Set(seen)).toEqual(ids);
  });

  test('a sync waits since it was first requested, also after more changes and attempts', async () => {
    const id = await failedSync();
    const [first] = await list();
    await scheduling.rpc.call(updateAppointment, { params: { appointmentId: id }, body: { title: 'Later' } }, as());
    expect((await list())[0]).toMatchObject({ id, since: first?.since, reason: 'due' });
    await step(id);
    expect(await list()).toEqual([]);
    await scheduling.rpc.call(updateAppointment, { params: { appointmentId: id }, body: { title: 'Again' } }, as());
    const [again] = await list();
    expect(Date.parse(String(again?.since))).toBeGreaterThan(Date.parse(String(first?.since)));
  });

  test('needs the role of a manager', async () => {
    for (const role of ['seller', undefined] as const) {
      const asked = scheduling.rpc.call(listWaitingScheduling, { body: { limit: 1 } }, as(role));
      await expect(asked).rejects.toMatchObject({ code: 'role_required' });
    }
  });
});

describe('a retry', () => {
  test('makes the next attempt of a sync now, wakes its workflow, and can be repeated', async () => {
    const id = await failedSync();
    await forget();
    const once = await retry({ kind: 'calendar_sync', ids: [id.toUpperCase()] });
    expect(once).toEqual({ matched: 1, done: 1, skipped: [], next_cursor: null });
    await retry({ kind: 'calendar_sync', ids: [id] });
    expect(await signals()).toEqual([
      { entity_id: id, signal: 'retried' },
      { entity_id: id, signal: 'retried' },
    ]);
    expect(await step(id)).toMatchObject({ done: true, reason: 'synced' });
    const { done, skipped } = await retry({ kind: 'calendar_sync', ids: [id] });
    expect({ done, skipped }).toEqual({ done: 0, skipped: [{ id, why: 'not_waiting' }] });
  });

  test('of an event that the calendar rejected asks again', async () => {
    const id = await failedSync(rejected);
    expect(await retry({ kind: 'calendar_sync', filter: { reason: 'needs_attention' } })).toMatchObject({ done: 1 });
    expect(await step(id)).toMatchObject({ done: true });
  });

  test('leaves a sync whose calendar must be connected again, and one that runs', async () => {
    const refused = await scheduling.create(storeId);
    await scheduling.adminSql`
      update calendar_connections
      set status = 'needs_attention', last_error_code = 'unauthorized', last_error_detail = 'Refused.'
      where store_id = ${storeId}`;
    expect(await retry({ kind: 'calendar_sync', filter: {} })).toMatchObject({
      skipped: [{ id: refused.id, why: 'needs_attention' }],
    });
    await scheduling.adminSql`
      update calendar_syncs set lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute'
      where store_id = ${storeId}`;
    for (const change of [retry, giveUp]) {
      expect(await change({ kind: 'calendar_sync', ids: [refused.id] })).toMatchObject({
        done: 0,
        skipped: [{ id: refused.id, why: 'running' }],
      });
    }
  });

  test('of a follow-up sends it now', async () => {
    followups.world.answer = async () => ({ status: 'sent', error: null });
    const id = await dueFollowup();
    await scheduling.adminSql`update followups set next_attempt_at = now() + interval '1 hour' where id = ${id}`;
    expect((await list())[0]).toMatchObject({ id, reason: 'postponed' });
    expect(await retry({ kind: 'followup', filter: { reason: 'postponed' } })).toMatchObject({ matched: 1, done: 1 });
    expect(await followups.step(id)).toMatchObject({ done: true });
    expect(followups.askedOf(id)).toBe(1);
  });

  test('releases a follow-up that a restore holds only when it is named', async () => {
    const id = await dueFollowup();
    await scheduling.adminSql`
      update followups
      set error_code = 'restored', error_detail = 'Held.', next_attempt_at = due_at + interval '14 days 1 s'
      where id = ${id}`;
    expect((await list())[0]).toMatchObject({ reason: 'restored', until: null });
    expect(await retry({ kind: 'followup', filter: {} })).toMatchObject({ skipped: [{ id, why: 'restored' }] });
    expect(await retry({ kind: 'followup', filter: { reason: 'restored' } })).toMatchObject({ done: 1 });
    expect(await followups.read(id)).toMatchObject({ status: 'pending', error: null });
  });
});

describe('a give-up', () => {
  test('ends a sync, keeps the appointment, and its workflow ends; the next change begins again', async () => {
    const id = await failedSync();
    await forget();
    expect(await giveUp({ kind: 'calendar_sync', ids: [id] })).toMatchObject({ done: 1, skipped: [] });
    expect(await syncOf(id)).toMatchObject({
      state: 'failed',
      last_error: { code: 'given_up', detail: 'A person gave it up. Its last error was caldav_503.' },
      next_attempt_at: null,
    });
    expect(await signals()).toEqual([{ entity_id: id, signal: 'given_up' }]);
    expect(await step(id)).toEqual({ done: true, wake_at: null, reason: 'a person gave the sync up' });
    expect(await list()).toEqual([]);
    expect(await giveUp({ kind: 'calendar_sync', ids: [id] })).toMatchObject({
      done: 0,
      skipped: [{ id, why: 'not_waiting' }],
    });
    await scheduling.rpc.call(updateAppointment, { params: { appointmentId: id }, body: { title: 'Again' } }, as());
    expect(await step(id)).toMatchObject({ done: true, reason: 'synced' });
    expect(calendar.events.get(`${id}@mostrador`)?.title).toBe('Again');
  });

  test('is not undone by an attempt that records its outcome after its lease', async () => {
    const { id } = await scheduling.create(storeId);
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    calendar.next(async () => {
      reached.resolve();
      await goOn.promise;
    });
    const running = step(id);
    await reached.promise;
    await scheduling.adminSql`update calendar_syncs set lease_until = now() where appointment_id = ${id}`;
    expect(await giveUp({ kind: 'calendar_sync', ids: [id] })).toMatchObject({ done: 1 });
    goOn.resolve();
    await running;
    expect(await syncOf(id)).toMatchObject({ state: 'failed', last_error: { code: 'given_up' } });
  });

  test('cancels a follow-up, with its event', async () => {
    const id = await dueFollowup();
    await forget();
    expect(await giveUp({ kind: 'followup', filter: { older_than: new Date().toISOString() } })).toMatchObject({
      done: 1,
    });
    expect(await followups.read(id)).toMatchObject({ status: 'cancelled', cancel_reason: 'api' });
    expect(await signals()).toEqual([{ entity_id: id, signal: 'cancelled' }]);
    expect(await scheduling.events(storeId)).toMatchObject([{ topic: 'scheduling.followup.cancelled' }]);
    expect(await followups.step(id)).toMatchObject({ done: true });
    expect(followups.askedOf(id)).toBe(0);
  });

  test('leaves a follow-up that messaging may have', async () => {
    const id = await dueFollowup();
    await scheduling.adminSql`update followups set status = 'sending' where id = ${id}`;
    expect(await giveUp({ kind: 'followup', ids: [id] })).toMatchObject({ skipped: [{ id, why: 'handed_over' }] });
    await scheduling.adminSql`update followups set message_id = id where id = ${id}`;
    expect(await list({ kind: 'followup' })).toEqual([]);
  });

  test('and a claim of the same sync exclude each other: one of them wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await scheduling.create(storeId);
      const [{ done }] = await Promise.all([giveUp({ kind: 'calendar_sync', ids: [id] }), step(id)]);
      const { state } = await syncOf(id);
      expect([done, state]).toEqual(done === 1 ? [1, 'failed'] : [0, 'synced']);
      expect(calendar.events.has(`${id}@mostrador`)).toBe(done === 0);
    }
  });
});

describe('both', () => {
  test.each(['calendar_sync', 'followup'] as const)(
    'a dry run of %s says the same and changes nothing',
    async (kind) => {
      await failedSync();
      await failedSync(rejected);
      await dueFollowup();
      const held = await dueFollowup();
      await scheduling.adminSql`
      update followups set status = 'sending', lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
      where id = ${held}`;
      for (const change of [retry, giveUp]) {
        const before = await rows();
        const tried = await change({ kind, filter: {}, dry_run: true });
        expect(await rows()).toEqual(before);
        expect(tried.matched).toBe(2);
        if (change === giveUp) expect(await change({ kind, filter: {} })).toEqual(tried);
      }
    },
  );

  test('neither reaches another store', async () => {
    const ids = [await failedSync()];
    const before = await rows();
    for (const change of [retry, giveUp]) {
      const other = randomUUID();
      expect(await change({ kind: 'calendar_sync', ids }, 'owner', other)).toMatchObject({
        done: 0,
        skipped: [{ why: 'not_waiting' }],
      });
      expect(await change({ kind: 'calendar_sync', filter: {} }, 'owner', other)).toMatchObject({ matched: 0 });
    }
    expect(await rows()).toEqual(before);
  });

  test('a filter reaches everything, a part at a time, and what is left does not stop it', async () => {
    await scheduling.adminSql`
      insert into followups (store_id, lead_id, message, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment,
        status)
      select ${storeId}, gen_random_uuid(), 'Hello', now() - interval '1 hour', now(), false, false,
        case when n <= 510 then 'sending' else 'pending' end
      from generate_series(1, 530) n`;
    let done = 0;
    let parts = 0;
    for (let cursor: string | undefined; ; parts += 1) {
      const part = await giveUp({ kind: 'followup', filter: {}, ...(cursor && { cursor }) });
      done += part.done;
      if (part.next_cursor === null) break;
      cursor = part.next_cursor;
    }
    expect({ done, parts }).toEqual({ done: 20, parts: 1 });
  });

  test.each<[string, Change, object]>([
    ['neither ids nor a filter', { kind: 'followup' }, { pointer: '#' }],
    ['both', { kind: 'followup', ids: [randomUUID()], filter: {} }, { pointer: '#' }],
    ['a cursor with ids', { kind: 'followup', ids: [randomUUID()], cursor: 'x' }, { pointer: '#/cursor' }],
    ['a cursor of something else', { kind: 'followup', filter: {}, cursor: 'x' }, { name: 'cursor' }],
    ['a kind of another service', { kind: 'message', filter: {} }, { pointer: '#/kind' }],
  ])('%s is rejected', async (_what, body, fault) => {
    for (const change of [retry, giveUp]) {
      await expect(change(body)).rejects.toMatchObject({
        code: 'validation_failed',
        members: { errors: [expect.objectContaining(fault)] },
      });
    }
  });

  test('need the role of an owner', async () => {
    const ids = [await failedSync()];
    for (const change of [retry, giveUp]) {
      for (const role of ['manager', 'seller'] as const) {
        const asked = change({ kind: 'calendar_sync', ids }, role);
        await expect(asked).rejects.toMatchObject({ code: 'role_required', members: { required_role: 'owner' } });
      }
    }
    expect(await syncOf(ids[0] as string)).toMatchObject({ state: 'pending' });
  });
});

test('an operator sees and retries a calendar whose last read failed, also before its next one is due', async () => {
  const { stores, list: listAll, retry: retryAll } = operatorWaitingOperations.scheduling;
  const kind = 'calendar_watch' as const;
  const storesWithOne = async () =>
    (await scheduling.rpc.call(stores, { body: { kind, after: null } }, testContext())).store_ids;
  const watches = async () =>
    (await scheduling.rpc.call(listAll, { body: { kind, limit: 50 } }, testContext({ storeId }))).data;
  const [watch] = await scheduling.adminSql`
    insert into calendar_watches (store_id, connection_id, wake_at, attempts)
    select store_id, id, now() + interval '10 minutes', 2 from calendar_connections where store_id = ${storeId}
    on conflict (store_id, connection_id) do update set wake_at = excluded.wake_at, attempts = 2
    returning connection_id as id, wake_at`;
  expect(await storesWithOne()).not.toContain(storeId);
  expect(await watches()).toEqual([]);

  const [connection] = await scheduling.adminSql`
    update calendar_watches w set last_error_code = 'caldav_503', last_error_detail = 'The server fails.'
    from calendar_connections c where w.store_id = ${storeId} and c.id = w.connection_id returning c.connected_at`;
  expect(await storesWithOne()).toContain(storeId);
  expect(await watches()).toMatchObject([
    {
      ...{ kind, id: watch?.id, reason: 'failed_attempt', attempts: 2, until: watch?.wake_at.toISOString() },
      ...{ detail: expect.stringContaining('(caldav_503)'), since: connection?.connected_at.toISOString() },
    },
  ]);
  const body = { kind, ids: [watch?.id as string], dry_run: false };
  expect((await scheduling.rpc.call(retryAll, { body }, testContext({ storeId }))).done).toBe(1);
  expect(await watches()).toMatchObject([{ id: watch?.id, reason: 'due' }]);
  await scheduling.adminSql`delete from calendar_watches where store_id = ${storeId}`;
});
