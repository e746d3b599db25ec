import {
  type Appointment,
  connectCalendar,
  disconnectCalendar,
  getAppointment,
  getCalendarConnection,
  noteCalendarChange,
  syncCalendarEvent,
  updateAppointment,
  watchCalendar,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { fullSyncRequired, rateLimited } from '@mostrador/testing/providers/google-calendar/errors';
import {
  type Asked,
  type GoogleServer,
  startGoogleCalendar,
} from '@mostrador/testing/providers/google-calendar/server';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { outcomeOf, startBooking, type TestBooking } from '../../test/booking.ts';
import { countCalendars } from './watch.repository.ts';

let booking: TestBooking;
let google: GoogleServer;
beforeAll(async () => {
  [booking, google] = await Promise.all([startBooking(), startGoogleCalendar()]);
});
afterAll(() => Promise.all([booking?.stop(), google?.stop()]));
beforeEach(() => google.clear());

/** A Friday in the future, and the id of the event of an appointment. */
const day = '2027-01-15';
const at = (time: string, date = day) => `${date}T${time}:00.000Z`;
const idOf = ({ id }: { id: string }) => id.replaceAll('-', '');
const timesAt = (start: string, end: string) => ({ start: { dateTime: at(start) }, end: { dateTime: at(end) } });
const isList = ({ method, path }: Asked) => method === 'GET' && path.endsWith('/events');
const readsOf = (requests: readonly Asked[]) =>
  requests.filter(({ method, path }) => method === 'GET' && /\/events\/./.test(path));

/** A store with one place, whose calendar is the account's. */
async function store(rules: Parameters<TestBooking['rules']>[1] = {}) {
  const storeId = await booking.store({ horizon_days: 730, ...rules });
  const as = () => testContext({ storeId });
  const { calendarId: calendar_id, url: api_url, tokenUrl: token_url } = google;
  const body = { provider: 'google' as const, calendar_id, api_url, token_url, secrets: google.secrets() };
  await booking.rpc.call(connectCalendar, { body }, as());
  const [connection] = await booking.adminSql`select id from calendar_connections where store_id = ${storeId}`;
  const step = () => booking.rpc.call(watchCalendar, { body: { connection_id: connection?.id as string } }, as());
  const sync = (id: string) => booking.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, as());
  return {
    storeId,
    sync,
    /** Looks at the calendar until nothing is left to do. Returns the last answer. */
    async look() {
      await booking.adminSql`update calendar_watches set wake_at = now() - interval '1 second' where store_id = ${storeId}`;
      for (;;) {
        const next = await step();
        if (next.done || Date.parse(next.wake_at as string) > Date.now() + 1_000) return next;
      }
    },
    /** An appointment whose event is in the calendar. */
    async book(scheduled_at: string): Promise<Appointment> {
      const appointment = await booking.book(storeId, scheduled_at);
      await sync(appointment.id);
      return appointment;
    },
    get: (appointmentId: string) => booking.rpc.call(getAppointment, { params: { appointmentId } }, as()),
    change: (appointmentId: string, body: object) =>
      booking.rpc.call(updateAppointment, { params: { appointmentId }, body }, as()),
    calendar: () => booking.rpc.call(getCalendarConnection, {}, as()),
    told: async (id: string) =>
      (
        await booking.adminSql<{ type: string; data: Record<string, unknown> }[]>`
          select type, data from feed_entries where entity_id = ${id} order by id`
      ).filter(({ type }) => !['appointment.created', 'appointment.updated'].includes(type)),
    /** Whether an hour that begins then can be booked. */
    isFree: async (start: string, date = day) => {
      const range = { from: `${date}T00:00:00Z`, to: `${date}T23:59:59Z`, duration_minutes: 60 };
      return (await booking.free(storeId, range)).data.some((free) => free.start === at(start, date));
    },
  };
}

const insert = (event: Parameters<GoogleServer['store']['insert']>[0]) =>
  google.store.insert({ summary: 'Dentist', ...event });

describe('the event of an appointment', () => {
  test('that a person moved moves its appointment, once', async () => {
    const { look, book, get, told } = await store();
    const appointment = await book(at('09:00'));
    await look();
    google.store.patch(idOf(appointment), timesAt('14:00', '14:30'));
    await look();
    expect(await get(appointment.id)).toMatchObject({ scheduled_at: at('14:00'), duration_minutes: 30 });
    await look();
    expect(await told(appointment.id)).toMatchObject([
      { type: 'appointment.moved', data: { source: 'calendar', previous_scheduled_at: at('09:00') } },
    ]);
  });

  test('that a person deleted cancels its appointment, also when it was never seen, and what Mostrador deletes does not', async () => {
    const { storeId, look, book, get, told, change, sync } = await store({ capacity: 3 });
    const seen = await book(at('09:00'));
    await look();
    const [unseen, cancelled] = [await book(at('10:00')), await book(at('11:00'))];
    for (const { id } of [seen, unseen]) google.store.delete(idOf({ id }));
    await change(cancelled.id, { status: 'cancelled' });
    await sync(cancelled.id);
    await look();
    for (const { id } of [seen, unseen]) {
      expect(await get(id)).toMatchObject({ status: 'cancelled' });
      expect(await told(id)).toMatchObject([{ type: 'appointment.cancelled', data: { source: 'calendar' } }]);
    }
    expect(await told(cancelled.id)).toMatchObject([{ data: { source: 'api' } }]);
    expect(await booking.taken(storeId)).toEqual([]);
  });

  test('that was deleted is a cancellation, also when Mostrador changes its title or notes before it is seen', async () => {
    const { look, book, get, told, change, sync } = await store();
    const [{ id }, never] = [await book(at('09:00')), await book(at('11:00'))];
    google.store.delete(idOf(never));
    await change(never.id, { notes: 'Window' });
    await sync(never.id);
    await look();
    google.store.delete(idOf({ id }));
    await change(id, { title: 'Shave' });
    await look();
    expect(await get(id)).toMatchObject({ status: 'scheduled' });
    await sync(id);
    await look();
    for (const each of [id, never.id]) {
      expect(await get(each)).toMatchObject({ status: 'cancelled' });
      expect(await told(each)).toMatchObject([{ type: 'appointment.cancelled', data: { source: 'calendar' } }]);
    }
    expect(await google.seen()).toEqual([]);
  });

  test('that was deleted is written again when Mostrador has moved it, which tells that the deletion is lost', async () => {
    const { look, book, get, told, change, sync } = await store();
    const { id } = await book(at('09:00'));
    await look();
    google.store.delete(idOf({ id }));
    await change(id, { scheduled_at: at('12:00') });
    await sync(id);
    await look();
    expect(await get(id)).toMatchObject({ status: 'scheduled', scheduled_at: at('12:00') });
    expect(await told(id)).toMatchObject([
      { type: 'appointment.moved', data: { source: 'api' } },
      {
        type: 'appointment.change_refused',
        data: { reason: 'changed_meanwhile', requested_scheduled_at: null, requested_duration_minutes: 0 },
      },
    ]);
    expect(await google.seen()).toHaveLength(1);
  });

  test('is moved back when the place is taken, and a change in Mostrador wins, and tells what is lost', async () => {
    const { look, book, get, told, sync, change } = await store();
    const [first, second] = [await book(at('09:00')), await book(at('11:00'))];
    await look();
    google.store.patch(idOf(second), timesAt('09:30', '10:30'));
    await look();
    await sync(second.id);
    expect(google.store.get(idOf(second)).start).toMatchObject({ dateTime: at('11:00') });
    expect(await told(second.id)).toMatchObject([
      { type: 'appointment.change_refused', data: { reason: 'appointment_conflict' } },
    ]);
    google.store.patch(idOf(first), timesAt('15:00', '16:00'));
    await change(first.id, { scheduled_at: at('17:00') });
    await sync(first.id);
    await look();
    expect(await get(first.id)).toMatchObject({ scheduled_at: at('17:00') });
    expect(await told(first.id)).toMatchObject([
      { type: 'appointment.moved', data: { source: 'api' } },
      {
        type: 'appointment.change_refused',
        data: { reason: 'changed_meanwhile', requested_scheduled_at: at('15:00') },
      },
    ]);
  });

  test('that was moved after a change in Mostrador keeps its time, and so does one whose time Mostrador did not change', async () => {
    const { look, book, get, sync, change } = await store();
    const [first, second] = [await book(at('09:00')), await book(at('11:00'))];
    await look();
    await change(first.id, { scheduled_at: at('15:00') });
    google.store.patch(idOf(first), timesAt('17:00', '18:00'));
    // A later change of something else is none of the time.
    await change(first.id, { metadata: { desk: '4' }, notes: 'Window' });
    google.store.patch(idOf(second), timesAt('12:00', '13:00'));
    await change(second.id, { title: 'Shave' });
    for (const { id } of [first, second]) await sync(id);
    await look();
    for (const { id } of [first, second]) await sync(id);
    expect(await get(first.id)).toMatchObject({ scheduled_at: at('17:00') });
    expect(await get(second.id)).toMatchObject({ scheduled_at: at('12:00'), title: 'Shave' });
    expect(google.store.get(idOf(first)).start).toMatchObject({ dateTime: at('17:00') });
    expect(google.store.get(idOf(second)).summary).toContain('Shave');
  });

  test('has its place only once, and a copy of it is a busy time, which does not hide that it was deleted', async () => {
    const { look, book, isFree, get } = await store({ capacity: 2 });
    const appointment = await book(at('09:00'));
    await look();
    expect(await isFree('09:00')).toBe(true);
    const { extendedProperties } = google.store.get(idOf(appointment));
    insert({ ...timesAt('09:00', '10:00'), ...(extendedProperties && { extendedProperties }) });
    await look();
    expect(await isFree('09:00')).toBe(false);
    google.store.delete(idOf(appointment));
    await look();
    expect(await get(appointment.id)).toMatchObject({ status: 'cancelled' });
  });

  test('that a person made recurring keeps its one place, and its further occurrences are busy times', async () => {
    const { look, book, isFree, get } = await store({ capacity: 2 });
    const appointment = await book(at('09:00'));
    google.store.patch(idOf(appointment), { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
    await look();
    const later = await book(at('09:00', '2027-01-22'));
    expect([await isFree('09:00'), await isFree('09:00', '2027-01-22')]).toEqual([true, false]);
    expect(await get(appointment.id)).toMatchObject({ status: 'scheduled', scheduled_at: at('09:00') });
    expect(later).toMatchObject({ status: 'scheduled' });
  });
});

describe('busy times', () => {
  test('are not offered and not booked until they are gone, and others take no time, on however many pages they come', async () => {
    google.pageSize.most = 2;
    const { storeId, look, isFree } = await store();
    const busy = insert(timesAt('09:00', '10:00'));
    const sparse = [
      insert({ ...timesAt('11:00', '12:00'), transparency: 'transparent' }),
      insert({
        ...timesAt('11:00', '12:00'),
        attendees: [{ email: 'a@example.com', self: true, responseStatus: 'declined' }],
      }),
      insert(timesAt('11:00', '12:00')),
    ];
    google.store.delete((sparse[2] as { id: string }).id);
    insert({ start: { date: '2027-01-16' }, end: { date: '2027-01-17' } });
    await look();
    const lists = google.requests.filter(isList);
    expect(lists.length).toBeGreaterThan(2);
    expect(await isFree('09:00')).toBe(false);
    expect(await isFree('11:00')).toBe(true);
    expect(await isFree('18:00', '2027-01-16')).toBe(false);
    expect(await outcomeOf(booking.book(storeId, at('09:30')))).toBe('appointment_conflict');
    google.store.patch(busy.id, timesAt('11:00', '12:00'));
    await look();
    expect([await isFree('09:00'), await isFree('11:00')]).toEqual([true, false]);
    google.store.delete(busy.id);
    await look();
    expect(await isFree('11:00')).toBe(true);
    // The token was asked with, and nothing that a token forbids.
    expect(google.requests.filter(isList).at(-1)?.query.has('syncToken')).toBe(true);
  });

  test('of a series keep their local time over a clock change, without the occurrences that are moved or deleted', async () => {
    const { look, isFree } = await store();
    const zone = { timeZone: 'America/New_York' };
    const series = insert({
      start: { dateTime: '2027-03-01T09:00:00-05:00', ...zone },
      end: { dateTime: '2027-03-01T10:00:00-05:00', ...zone },
      recurrence: ['RRULE:FREQ=WEEKLY'],
    });
    await look();
    expect([await isFree('14:00', '2027-03-08'), await isFree('13:00', '2027-03-08')]).toEqual([false, true]);
    // Clocks there change on 14 March.
    expect([await isFree('13:00', '2027-03-15'), await isFree('14:00', '2027-03-15')]).toEqual([false, true]);
    google.store.except(series.id, '2027-03-08T09:00:00-05:00');
    google.store.except(series.id, '2027-03-15T09:00:00-04:00', {
      start: '2027-03-16T09:00:00-04:00',
      end: '2027-03-16T10:00:00-04:00',
    });
    await look();
    expect(await isFree('14:00', '2027-03-08')).toBe(true);
    expect([await isFree('13:00', '2027-03-15'), await isFree('13:00', '2027-03-16')]).toEqual([true, false]);
    google.store.delete(series.id);
    await look();
    expect([await isFree('13:00', '2027-03-16'), await isFree('13:00', '2027-03-22')]).toEqual([true, true]);
  });
});

test('a series with many exceptions and guests is read, and one that is too large stops nothing else', async () => {
  const { look, isFree } = await store();
  const zone = { timeZone: 'America/New_York' };
  const series = insert({
    start: { dateTime: '2027-01-11T09:00:00-05:00', ...zone },
    end: { dateTime: '2027-01-11T10:00:00-05:00', ...zone },
    recurrence: ['RRULE:FREQ=DAILY'],
  });
  const attendees = Array.from({ length: 500 }, () => ({ email: 'a@example.com', responseStatus: 'accepted' }));
  for (let number = 12; number < 24; number += 1) {
    const date = `2027-01-${number}`;
    const times = { start: `${date}T11:00:00-05:00`, end: `${date}T12:00:00-05:00` };
    const { id } = google.store.except(series.id, `${date}T09:00:00-05:00`, times);
    google.store.patch(id, { attendees });
  }
  await look();
  expect([await isFree('14:00'), await isFree('16:00')]).toEqual([true, false]);
  google.store.patch(series.id, { summary: 'Standup' });
  for (const [start, end] of [
    ['11:00', '12:00'],
    ['17:00', '18:00'],
  ] as const)
    insert(timesAt(start, end));
  const large = { body: JSON.stringify({ items: ['x'.repeat(1024 * 1024)] }), type: 'application/json' };
  google.misbehave(large, ({ query }) => query.has('iCalUID'));
  await look();
  expect([await isFree('11:00'), await isFree('17:00')]).toEqual([false, false]);
});

test('a sync token that expires between two pages leads to a full read, which reads and changes nothing that it need not', async () => {
  google.pageSize.most = 2;
  const { look, book, get, told, isFree } = await store({ capacity: 9 });
  const kept = [await book(at('09:00')), await book(at('10:00')), await book(at('11:00'))];
  const gone = insert(timesAt('12:00', '13:00'));
  await look();
  const moved = kept[0] as Appointment;
  for (const time of ['14:00', '15:00', '16:00']) insert(timesAt(time, `${Number(time.slice(0, 2)) + 1}:00`));
  google.store.patch(idOf(moved), timesAt('17:00', '18:00'));
  google.store.delete(gone.id);
  google.misbehave(
    fullSyncRequired(),
    (asked) => isList(asked) && asked.query.has('syncToken') && asked.query.has('pageToken'),
  );
  const before = google.requests.length;
  await look();
  expect(await get(moved.id)).toMatchObject({ scheduled_at: at('17:00') });
  for (const { id } of kept.slice(1)) expect(await told(id)).toEqual([]);
  // Three new ones, the one that moved, and the one that is gone.
  expect(readsOf(google.requests.slice(before))).toHaveLength(5);
  google.expireSyncTokens();
  const again = google.requests.length;
  await look();
  expect(readsOf(google.requests.slice(again))).toEqual([]);
  expect(await isFree('12:00')).toBe(true);
});

test('with many calendars it is read no more often than its share of the quota allows, also when its store is in use', async () => {
  const shop = await store();
  booking.fairPause.ms = 5 * 60_000;
  onTestFinished(() => {
    booking.fairPause.ms = 0;
  });
  await shop.look();
  const pauseOf = async () => {
    const [row] = await booking.adminSql<{ minutes: number; wakeUps: number }[]>`
      select extract(epoch from wake_at - listed_at)::float8 / 60 as minutes, (select count(*)::int from outbox o
        where o.entity_id = connection_id and o.signal = 'used') as "wakeUps"
      from calendar_watches where store_id = ${shop.storeId}`;
    return row as NonNullable<typeof row>;
  };
  expect((await pauseOf()).minutes).toBeGreaterThanOrEqual(5);
  await booking.adminSql`update calendar_watches set wake_at = now() + interval '15 minutes' where store_id = ${shop.storeId}`;
  for (const _ of [1, 2]) await shop.isFree('09:00');
  expect(await pauseOf()).toEqual({ minutes: expect.closeTo(5, 3), wakeUps: 1 });
});

test('the calendars of a provider that are connected are counted in all stores', async () => {
  const { systemDatabase } = booking.dependencies;
  const count = () => systemDatabase.read({ deadline: Date.now() + 10_000 }, (sql) => countCalendars(sql, 'google'));
  const before = await count();
  const [shop] = [await store(), await store()];
  expect(await count()).toBe(before + 2);
  await booking.rpc.call(disconnectCalendar, {}, testContext({ storeId: shop.storeId }));
  expect(await count()).toBe(before + 1);
});

describe('a calendar that tells of its changes', () => {
  // Google tells only addresses with https.
  const publicUrl = 'https://api.example.com';
  let local: string;
  beforeAll(() => {
    local = booking.dependencies.publicUrl;
    Object.assign(booking.dependencies, { publicUrl });
  });
  afterAll(() => Object.assign(booking.dependencies, { publicUrl: local }));
  const tell = (token: string) => booking.rpc.call(noteCalendarChange, { body: { token } }, testContext());
  const watchOf = async ({ storeId }: { storeId: string }) => {
    const [row] = await booking.adminSql`
      select wake_at, wake_at - clock_timestamp() < interval '6 seconds' as is_soon, channel_expires_at
      from calendar_watches where store_id = ${storeId}`;
    return row as { wake_at: Date; is_soon: boolean; channel_expires_at: Date | null };
  };
  const wakeUps = async ({ storeId }: { storeId: string }) =>
    (
      await booking.adminSql`select signal from outbox where store_id = ${storeId} and topic = 'calendarWatch' order by id`
    ).map(({ signal }) => signal);

  test('is read soon after each notice, once, and rarely without one', async () => {
    const shop = await store();
    await shop.look();
    expect(google.channels).toMatchObject([{ address: 'https://api.example.com/calendars/google/changes' }]);
    const token = google.channels[0]?.token as string;
    const quiet = await watchOf(shop);
    expect(quiet).toMatchObject({ is_soon: false });
    expect(quiet.wake_at.getTime() - Date.now()).toBeGreaterThan(4 * 60_000);
    const before = (await wakeUps(shop)).length;
    await Promise.all([tell(token), tell(token)]);
    expect(await watchOf(shop)).toMatchObject({ is_soon: true });
    expect((await wakeUps(shop)).slice(before)).toEqual(['changed']);
    // It is answered by one look, which opens no further channel.
    await shop.look();
    expect(await watchOf(shop)).toMatchObject({ is_soon: false });
    expect(google.channels).toHaveLength(1);
  });

  test('a notice during a look leads to another one, and an unknown token to nothing', async () => {
    const shop = await store();
    await shop.look();
    const token = google.channels[0]?.token as string;
    google.tellDuring('GET', () => tell(token));
    await shop.look();
    expect(await watchOf(shop)).toMatchObject({ is_soon: true });
    expect(await outcomeOf(tell('x'.repeat(43)))).toBe('webhook_refused');
    expect(await outcomeOf(tell(token))).toBe('done');
  });

  test('may tell of a change before it has answered that it will, and the change is not lost', async () => {
    const shop = await store();
    const answers: string[] = [];
    google.onNotice(async ({ state, token }) => {
      // The gateway passes on all notices but the first of a channel.
      if (state === 'sync') insert(timesAt('09:00', '10:00'));
      else answers.push(await outcomeOf(tell(token)));
    });
    await shop.look();
    await google.noticed();
    expect(answers).toEqual(['done']);
    expect([await shop.isFree('09:00'), await watchOf(shop)]).toMatchObject([false, { is_soon: true }]);
  });

  test('tells also when its answer was lost, and is then polled as well', async () => {
    const shop = await store();
    google.misbehave('accept and hang up', ({ path }) => path.endsWith('/watch'));
    google.onNotice(({ token }) => tell(token));
    await shop.look();
    expect(await watchOf(shop)).toMatchObject({ channel_expires_at: null });
    await shop.look();
    expect(await watchOf(shop)).toMatchObject({ is_soon: false });
    insert(timesAt('09:00', '10:00'));
    await google.noticed();
    expect(await watchOf(shop)).toMatchObject({ is_soon: true });
    await shop.look();
    expect(await shop.isFree('09:00')).toBe(false);
  });

  test('keeps its channel when the list that follows fails', async () => {
    const shop = await store();
    google.misbehave(rateLimited(403), isList);
    await shop.look();
    expect((await watchOf(shop)).channel_expires_at).not.toBeNull();
    await shop.look();
    expect(google.channels).toHaveLength(1);
    expect(await outcomeOf(tell(google.channels[0]?.token as string))).toBe('done');
  });

  test('tells of nothing when it is disconnected: what comes until its channel ends within a day is refused', async () => {
    const shop = await store();
    const answers: string[] = [];
    google.onNotice(async ({ state, token }) => state === 'sync' || answers.push(await outcomeOf(tell(token))));
    await shop.look();
    const before = await wakeUps(shop);
    await booking.rpc.call(disconnectCalendar, {}, testContext({ storeId: shop.storeId }));
    insert(timesAt('09:00', '10:00'));
    await google.noticed();
    expect(answers).toEqual(['webhook_refused']);
    expect(await wakeUps(shop)).toEqual([...before, 'disconnected']);
    expect((google.channels[0]?.expiration as number) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  });

  test('gets a new channel before the old one ends, whose token is then refused', async () => {
    const shop = await store();
    await shop.look();
    await booking.adminSql`
      update calendar_watches set channel_expires_at = now() + interval '1 hour',
        channel_tried_at = now() - interval '23 hours' where store_id = ${shop.storeId}`;
    await shop.look();
    const [old, now] = google.channels;
    expect(await outcomeOf(tell(old?.token as string))).toBe('webhook_refused');
    expect(await outcomeOf(tell(now?.token as string))).toBe('done');
    expect((await watchOf(shop)).channel_expires_at?.getTime()).toBeGreaterThan(Date.now() + 20 * 3_600_000);
  });

  test('that refuses a channel is polled as before, and is asked again only later', async () => {
    const isWatch = ({ path }: Asked) => path.endsWith('/watch');
    google.misbehave(rateLimited(403), isWatch);
    const shop = await store();
    await shop.look();
    await shop.look();
    expect(google.requests.filter(isWatch)).toHaveLength(1);
    expect((await shop.calendar()).status).toBe('connected');
    expect((await watchOf(shop)).wake_at.getTime() - Date.now()).toBeLessThan(2 * 60_000);
  });
});

test('a limit of the requests is kept, and told only when it lasts', async () => {
  const { look, calendar } = await store();
  await look();
  google.misbehave(rateLimited(403, 'rateLimitExceeded', 600), isList);
  const next = await look();
  expect(next.reason).toContain('calendar_throttled');
  expect(Date.parse(next.wake_at as string)).toBeGreaterThan(Date.now() + 590_000);
  expect(await calendar()).toMatchObject({ status: 'connected' });
});
