import { randomUUID } from 'node:crypto';
import {
  type Appointment,
  connectCalendar,
  disconnectCalendar,
  getAppointment,
  getCalendarConnection,
  listBusyTimes,
  showCalendar,
  syncCalendarEvent,
  watchCalendar,
} from '@mostrador/contracts';
import { wakeOverdue } from '@mostrador/kit/step/overdue';
import { testContext } from '@mostrador/testing/context';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { type CaldavServer, startRadicale, startXandikos } from '@mostrador/testing/providers/caldav/servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomeOf, startBooking, type TestBooking } from '../../test/booking.ts';
import { addWatches } from './add-watches.ts';
import { attemptsUntilTold } from './reading.ts';
import { settleEvent } from './settle-event.ts';
import { overdueWatches } from './wake-overdue.ts';
import { lockLease } from './watch.repository.ts';

/** Long, because the first run installs the servers. */
const installTimeoutMs = 10 * 60_000;
const dayMs = 24 * 3_600_000;

let booking: TestBooking;
beforeAll(async () => {
  booking = await startBooking();
}, installTimeoutMs);
afterAll(() => booking?.stop());

/** A day of its own for each test, so that one calendar serves them all: 09:00 of the days from tomorrow on. */
let days = 0;
const newDay = () => {
  days += 1;
  return `${new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)}`;
};

describe.each([
  { name: 'Radicale', start: startRadicale },
  { name: 'Xandikos', start: startXandikos },
])('a calendar on $name', ({ start }) => {
  let server: CaldavServer;
  beforeAll(async () => {
    server = await start();
  }, installTimeoutMs);
  afterAll(() => server?.dispose());

  /** Sends a request as another calendar program would. */
  const request = (method: string, file: string, body?: string) => {
    const authorization = `Basic ${Buffer.from(`${server.username}:${server.password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'text/calendar' };
    return fetch(new URL(file, server.collectionUrl), { method, headers, ...(body !== undefined && { body }) });
  };
  const put = async (file: string, body: string) => expect((await request('PUT', file, body)).ok).toBe(true);
  const putEvent = (file: string, lines: readonly string[]) => {
    const event = ['BEGIN:VEVENT', `UID:${file}`, 'DTSTAMP:20261101T000000Z', 'SUMMARY:Dentist', ...lines];
    const document = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...event, 'END:VEVENT', 'END:VCALENDAR', ''];
    return put(`${file}.ics`, document.join('\r\n'));
  };

  /** A store with one place, whose calendar is the server's. */
  async function store(rules: Parameters<TestBooking['rules']>[1] = {}, withRules = true) {
    const storeId = withRules ? await booking.store(rules) : randomUUID();
    const as = () => testContext({ storeId });
    const { collectionUrl: url, username, password } = server;
    const body = { provider: 'caldav' as const, url, ...(username && { username, secrets: { password } }) };
    const connect = async () => {
      await booking.rpc.call(connectCalendar, { body }, as());
      const [row] = await booking.adminSql`
        select id from calendar_connections where store_id = ${storeId} and disconnected_at is null`;
      return row?.id as string;
    };
    const connectionId = await connect();
    const sync = (id: string) => booking.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, as());
    const step = (id = connectionId) => booking.rpc.call(watchCalendar, { body: { connection_id: id } }, as());
    return {
      storeId,
      connectionId,
      connect,
      step,
      /** Looks at the calendar until nothing is left to do. Returns the last answer. */
      async look() {
        await booking.adminSql`update calendar_watches set wake_at = now() - interval '1 second' where store_id = ${storeId}`;
        for (;;) {
          const next = await step();
          if (next.done || Date.parse(next.wake_at as string) > Date.now() + 1_000) return next;
        }
      },
      sync,
      /** What `GET /store` shows. */
      calendar: () => booking.rpc.call(getCalendarConnection, {}, as()),
      /** An appointment whose event is in the calendar. */
      async book(at: string): Promise<Appointment> {
        const appointment = await booking.book(storeId, at);
        await sync(appointment.id);
        return appointment;
      },
      get: (appointmentId: string) => booking.rpc.call(getAppointment, { params: { appointmentId } }, as()),
      disconnect: () => booking.rpc.call(disconnectCalendar, {}, as()),
      seen: async (id: string) => (await readEvents(server)).find(({ uid }) => uid.startsWith(id)),
      /** The events of the feed about an appointment, without those of its creation. */
      told: async (id: string) =>
        (
          await booking.adminSql<{ type: string; data: Record<string, unknown> }[]>`
            select type, data from feed_entries where entity_id = ${id} order by id`
        ).filter(({ type }) => type !== 'appointment.created'),
      free: async (day: string, query: { seller_id?: string } = {}) => {
        const range = { from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z`, duration_minutes: 60, ...query };
        return (await booking.free(storeId, range)).data.map(({ start }) => start.slice(11, 16));
      },
    };
  }

  /** Gives an event other times, as a calendar program does that keeps what it does not know. */
  async function moveByHand(id: string, from: string, to: string, minutes = 60, changedAt?: Date) {
    const file = `${id}.ics`;
    const text = await (await request('GET', file)).text();
    const compact = (at: string) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const end = new Date(Date.parse(to) + minutes * 60_000).toISOString();
    const moved = text
      .replace(`DTSTART:${compact(from)}`, `DTSTART:${compact(to)}`)
      .replace(/DTEND:\S+/, `DTEND:${compact(end)}`)
      .replace(/LAST-MODIFIED:\S+/, (line) => (changedAt ? `LAST-MODIFIED:${compact(changedAt.toISOString())}` : line));
    expect(moved).not.toBe(text);
    await put(file, moved);
  }

  test('an event that a person moved moves its appointment, once', async () => {
    const { storeId, look, book, get, sync, told, seen } = await store();
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    await moveByHand(id, `${day}T09:00:00Z`, `${day}T14:00:00Z`, 90);
    await look();
    expect(await get(id)).toMatchObject({ scheduled_at: `${day}T14:00:00.000Z`, duration_minutes: 90 });
    expect(await told(id)).toMatchObject([
      { type: 'appointment.updated' },
      { type: 'appointment.moved', data: { source: 'calendar', previous_scheduled_at: `${day}T09:00:00.000Z` } },
    ]);
    const [place] = await booking.taken(storeId);
    expect(place?.starts_at).toEqual(new Date(`${day}T14:00:00Z`));
    // The event is written again, with its new version. That is no change of a person.
    await sync(id);
    await look();
    await look();
    expect(await told(id)).toHaveLength(2);
    expect(await seen(id)).toMatchObject({ start: `${day}T14:00:00Z`, duration_minutes: 90 });
  });

  test('an event that a person deleted cancels its appointment, and frees the place', async () => {
    const { storeId, look, book, get, told } = await store();
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    expect((await request('DELETE', `${id}.ics`)).ok).toBe(true);
    await look();
    expect(await get(id)).toMatchObject({ status: 'cancelled' });
    expect(await told(id)).toMatchObject([
      { type: 'appointment.updated' },
      { type: 'appointment.cancelled', data: { source: 'calendar' } },
    ]);
    expect(await booking.taken(storeId)).toEqual([]);
  });

  test('an event that came and went between two looks cancels its appointment', async () => {
    const { look, book, get } = await store();
    await look();
    const { id } = await book(`${newDay()}T09:00:00Z`);
    expect((await request('DELETE', `${id}.ics`)).ok).toBe(true);
    // What the calendar never showed, it cannot tell as removed: a list without the event tells it.
    await booking.adminSql`update calendar_watches set cursor = null`;
    await look();
    expect(await get(id)).toMatchObject({ status: 'cancelled' });
  });

  test('an event that was deleted before the calendar was first read cancels nothing', async () => {
    const { look, book, get } = await store();
    const { id } = await book(`${newDay()}T09:00:00Z`);
    expect((await request('DELETE', `${id}.ics`)).ok).toBe(true);
    await look();
    expect(await get(id)).toMatchObject({ status: 'scheduled' });
    // Nor does the next whole list.
    await booking.adminSql`update calendar_watches set cursor = null`;
    await look();
    expect(await get(id)).toMatchObject({ status: 'scheduled' });
  });

  test('an event that a program moved to another address cancels nothing', async () => {
    const { look, book, get } = await store();
    const { id } = await book(`${newDay()}T09:00:00Z`);
    await look();
    const text = await (await request('GET', `${id}.ics`)).text();
    expect((await request('DELETE', `${id}.ics`)).ok).toBe(true);
    await put(`elsewhere-${id}.ics`, text);
    await look();
    expect(await get(id)).toMatchObject({ status: 'scheduled' });
  });

  test('a change in Mostrador that is not written yet wins over one in the calendar, which is told', async () => {
    const { storeId, look, book, sync, get, told } = await store();
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    await booking.change(storeId, id, { scheduled_at: `${day}T10:00:00Z` });
    await look();
    await moveByHand(id, `${day}T09:00:00Z`, `${day}T16:00:00Z`);
    await look();
    await sync(id);
    await look();
    expect(await get(id)).toMatchObject({ scheduled_at: `${day}T10:00:00.000Z` });
    expect(await told(id)).toMatchObject([
      { type: 'appointment.updated' },
      { type: 'appointment.moved', data: { source: 'api' } },
      {
        type: 'appointment.change_refused',
        data: { reason: 'changed_meanwhile', requested_scheduled_at: `${day}T16:00:00.000Z` },
      },
    ]);
  });

  test('a later change in the calendar wins over one in Mostrador that is not written yet', async () => {
    const { storeId, look, book, sync, get, told, seen } = await store();
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    await booking.change(storeId, id, { scheduled_at: `${day}T10:00:00Z` });
    await moveByHand(id, `${day}T09:00:00Z`, `${day}T16:00:00Z`, 60, new Date(Date.now() + 2_000));
    await sync(id);
    await look();
    expect(await get(id)).toMatchObject({ scheduled_at: `${day}T16:00:00.000Z` });
    expect(await told(id)).toMatchObject([
      { type: 'appointment.updated' },
      { type: 'appointment.moved', data: { source: 'api' } },
      { type: 'appointment.updated' },
      { type: 'appointment.moved', data: { source: 'calendar', previous_scheduled_at: `${day}T10:00:00.000Z` } },
    ]);
    await sync(id);
    await look();
    expect(await seen(id)).toMatchObject({ start: `${day}T16:00:00Z` });
    expect(await told(id)).toHaveLength(4);
  });

  test('a move in the calendar and a new title in Mostrador are both kept', async () => {
    const { storeId, look, book, sync, get, seen } = await store();
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    await moveByHand(id, `${day}T09:00:00Z`, `${day}T16:00:00Z`);
    await booking.change(storeId, id, { title: 'Shave' });
    await sync(id);
    await look();
    await sync(id);
    expect(await get(id)).toMatchObject({ scheduled_at: `${day}T16:00:00.000Z`, title: 'Shave' });
    expect(await seen(id)).toMatchObject({ start: `${day}T16:00:00Z`, title: 'Shave' });
  });

  test('a move onto a place that is taken is undone in the calendar, and told', async () => {
    const { storeId, look, book, sync, get, told, seen } = await store();
    const day = newDay();
    const [first, second] = [await book(`${day}T09:00:00Z`), await book(`${day}T11:00:00Z`)];
    await look();
    await moveByHand(second.id, `${day}T11:00:00Z`, `${day}T09:30:00Z`);
    await look();
    expect(await get(second.id)).toEqual(second);
    expect(await told(second.id)).toMatchObject([
      {
        type: 'appointment.change_refused',
        data: { reason: 'appointment_conflict', source: 'calendar', requested_scheduled_at: `${day}T09:30:00.000Z` },
      },
    ]);
    await sync(second.id);
    expect(await seen(second.id)).toMatchObject({ start: `${day}T11:00:00Z` });
    await look();
    expect(await told(second.id)).toHaveLength(1);
    expect((await booking.taken(storeId)).map(({ id }) => id)).toEqual([first.id, second.id]);
  });

  test('without booking rules a moved event moves its appointment, too', async () => {
    const { look, book, get, told } = await store({}, false);
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    await moveByHand(id, `${day}T09:00:00Z`, `${day}T14:00:00Z`);
    await look();
    expect(await get(id)).toMatchObject({ scheduled_at: `${day}T14:00:00.000Z` });
    expect((await told(id)).map(({ data }) => data.source)).toEqual([undefined, 'calendar']);
  });

  test('a calendar that lost most events at once cancels nothing, and says so', async () => {
    const { look, book, get, calendar } = await store({ capacity: 20 });
    const day = newDay();
    const appointments: Appointment[] = [];
    for (let number = 0; number < 11; number += 1) appointments.push(await book(`${day}T09:00:00Z`));
    await look();
    for (const { id } of appointments) expect((await request('DELETE', `${id}.ics`)).ok).toBe(true);
    expect(await look()).toMatchObject({ reason: 'attempt 1 failed (calendar_emptied)' });
    for (const { id } of appointments) expect(await get(id)).toMatchObject({ status: 'scheduled' });
    expect(await calendar()).toMatchObject({ status: 'degraded', reason: { code: 'calendar_emptied' } });
  });

  test('a busy time of the calendar is not offered and not booked, until it is gone', async () => {
    const { storeId, look, free } = await store({ hours: null });
    const day = newDay();
    const compact = day.replaceAll('-', '');
    const file = randomUUID();
    await putEvent(file, [`DTSTART:${compact}T100000Z`, `DTEND:${compact}T113000Z`]);
    const other = randomUUID();
    await putEvent(other, [`DTSTART:${compact}T150000Z`, `DTEND:${compact}T160000Z`, 'TRANSP:TRANSPARENT']);
    await look();
    const seller_id = booking.addSeller(storeId);
    for (const query of [{}, { seller_id }]) {
      const starts = await free(day, query);
      expect(starts).not.toContain('10:00');
      expect(starts).not.toContain('11:00');
      expect(starts).toContain('15:00');
      expect(await outcomeOf(booking.book(storeId, `${day}T11:00:00Z`, query))).toBe('appointment_conflict');
      expect(await outcomeOf(booking.hold(storeId, `${day}T09:30:00Z`, query))).toBe('appointment_conflict');
    }
    expect(await outcomeOf(booking.book(storeId, `${day}T11:30:00Z`))).toBe('done');
    expect((await request('DELETE', `${file}.ics`)).ok).toBe(true);
    await look();
    expect(await free(day)).toContain('10:00');
    // No title, nor any other text of a person, is stored.
    const rows = await booking.adminSql`
      select o::text || b::text as text from calendar_objects o left join calendar_busy_times b using (href)`;
    expect(JSON.stringify(rows)).not.toContain('Dentist');
  });

  test('a busy time takes one of several places', async () => {
    const { storeId, look, free } = await store({ capacity: 2 });
    const day = newDay();
    const compact = day.replaceAll('-', '');
    await putEvent(randomUUID(), [`DTSTART:${compact}T100000Z`, `DTEND:${compact}T110000Z`]);
    await look();
    expect(await free(day)).toContain('10:00');
    expect(await outcomeOf(booking.book(storeId, `${day}T10:00:00Z`))).toBe('done');
    expect(await free(day)).not.toContain('10:00');
    expect(await outcomeOf(booking.book(storeId, `${day}T10:00:00Z`))).toBe('appointment_conflict');
  });

  test('a recurring busy time keeps its local time over a clock change', async () => {
    const { storeId, look, free } = await store({ horizon_days: 730 });
    // New York goes forward on 2027-03-14: 09:00 there is 14:00 UTC before, and 13:00 UTC after.
    await putEvent(randomUUID(), [
      ...['DTSTART;TZID=America/New_York:20270309T090000', 'DTEND;TZID=America/New_York:20270309T100000'],
      'RRULE:FREQ=WEEKLY;COUNT=2',
    ]);
    await look();
    const [before, after] = [await free('2027-03-09'), await free('2027-03-16')];
    expect([before.includes('14:00'), before.includes('13:00')]).toEqual([false, true]);
    expect([after.includes('14:00'), after.includes('13:00')]).toEqual([true, false]);
    expect(storeId).toBeTruthy();
  });

  test('an attempt that lost its lease records nothing', async () => {
    const { storeId, connectionId, look, book, step } = await store();
    await look();
    const { id } = await book(`${newDay()}T09:00:00Z`);
    const watch = () => booking.adminSql`
      select cursor, lease_token from calendar_watches where store_id = ${storeId}`;
    const [before] = await watch();
    await booking.adminSql`
      update calendar_watches set wake_at = now() - interval '1 second', lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
      where store_id = ${storeId}`;
    expect(await step()).toMatchObject({ done: false, reason: 'another attempt is running' });
    // A process died: its lease expires, and the next step reads the calendar.
    await booking.adminSql`update calendar_watches set lease_until = now() where store_id = ${storeId}`;
    const [claimed] = await watch();
    await look();
    const [after] = await watch();
    expect([claimed?.cursor, after?.cursor === before?.cursor, after?.lease_token]).toEqual([
      before?.cursor,
      false,
      null,
    ]);
    // The one that died comes back, and has no lease.
    const attempt = { storeId, id: connectionId, leaseToken: claimed?.lease_token as string, number: 1 };
    const scope = { storeId, deadline: Date.now() + 5_000 };
    expect(await booking.dependencies.database.write(scope, (sql) => lockLease(sql, attempt))).toBe(false);
    expect(id).toBeTruthy();
  });

  test('a calendar that is replaced while it is read changes no appointment', async () => {
    const { storeId, connectionId, look, book, connect, get } = await store();
    const day = newDay();
    const { id } = await book(`${day}T09:00:00Z`);
    await look();
    const replaced = await connect();
    expect(replaced).not.toBe(connectionId);
    const seen = { start: Date.parse(`${day}T12:00:00Z`), durationMinutes: 60 };
    const read = { connectionId, appointmentId: id, seen, readAt: new Date() };
    expect(await settleEvent(booking.dependencies, testContext({ storeId }), read)).toBe('settled');
    expect(await get(id)).toMatchObject({ scheduled_at: `${day}T09:00:00.000Z` });
  });

  test('a server that is down is asked again, and says why', async () => {
    const { storeId, look, calendar } = await store();
    await server.stop();
    expect(await look()).toMatchObject({ done: false, reason: 'attempt 1 failed (calendar_unreachable)' });
    expect(await calendar()).toMatchObject({ status: 'connected' });
    await booking.adminSql`
      update calendar_watches set attempts = ${attemptsUntilTold - 1} where store_id = ${storeId}`;
    await look();
    expect(await calendar()).toMatchObject({ status: 'degraded', reason: { code: 'calendar_not_read' } });
    const shown = await booking.rpc.call(showCalendar, {}, testContext({ storeId }));
    expect(shown).toMatchObject({ read_at: null, reading_error: expect.stringMatching(/^calendar_unreachable: ./) });
    await server.start();
    await look();
    expect(await calendar()).toEqual({ provider: 'caldav', status: 'connected', reason: null, sending_windows: [] });
    const [row] = await booking.adminSql`
      select attempts, last_error_code from calendar_watches where store_id = ${storeId}`;
    expect(row).toEqual({ attempts: 0, last_error_code: null });
  });

  test('a disconnected calendar is no longer read, and its busy times are forgotten', async () => {
    const { storeId, connectionId, look, step, disconnect, free } = await store();
    const day = newDay();
    const compact = day.replaceAll('-', '');
    const file = randomUUID();
    await putEvent(file, [`DTSTART:${compact}T100000Z`, `DTEND:${compact}T110000Z`]);
    await look();
    expect(await free(day)).not.toContain('10:00');
    await disconnect();
    expect(await free(day)).toContain('10:00');
    expect(await step()).toMatchObject({ done: true });
    const left = await booking.adminSql`
      select from calendar_watches where store_id = ${storeId}
      union all select from calendar_objects where store_id = ${storeId}`;
    expect(left).toHaveLength(0);
    const signals = await booking.adminSql`
      select signal from outbox where entity_id = ${connectionId} and topic = 'calendarWatch' order by id`;
    expect(signals).toEqual([{ signal: 'connected' }, { signal: 'disconnected' }]);
    await request('DELETE', `${file}.ics`);
  });
});

test.each(['free', 'busy'] as const)(
  'who asks for %s times wakes the watch of a quiet calendar, once',
  async (kind) => {
    const [storeId, connectionId] = [await booking.store(), randomUUID()];
    await booking.adminSql`
    insert into calendar_connections (store_id, id, provider) values (${storeId}, ${connectionId}, 'caldav')`;
    await booking.adminSql`
    insert into calendar_watches (store_id, connection_id, wake_at)
    values (${storeId}, ${connectionId}, now() + interval '10 minutes')`;
    const day = newDay();
    const query = { from: `${day}T00:00:00Z`, to: `${day}T23:00:00Z` };
    const ask = () =>
      kind === 'free'
        ? booking.free(storeId, { ...query, duration_minutes: 60 })
        : booking.rpc.call(listBusyTimes, { query }, testContext({ storeId }));
    await Promise.all([ask(), ask()]);
    await ask();
    const signals = await booking.adminSql`select signal from outbox where entity_id = ${connectionId}`;
    expect(signals).toEqual([{ signal: 'used' }]);
    const [watch] = await booking.adminSql`
    select wake_at <= now() as due from calendar_watches where store_id = ${storeId}`;
    expect(watch).toEqual({ due: true });
  },
);

test('a calendar that an earlier version connected gets its watch, and its workflow', async () => {
  const [storeId, connectionId, feedId] = [randomUUID(), randomUUID(), randomUUID()];
  await booking.adminSql`
    insert into calendar_connections (store_id, id, provider)
    values (${storeId}, ${connectionId}, 'caldav'), (${randomUUID()}, ${feedId}, 'feed')`;
  const { systemDatabase, relay } = booking.dependencies;
  await addWatches(systemDatabase);
  await addWatches(systemDatabase);
  await booking.adminSql`
    update calendar_watches set wake_at = now() - interval '1 minute' where connection_id = ${connectionId}`;
  const sweep = { ...overdueWatches, systemDatabase, relay: { ...relay, isBehind: async () => false } };
  await wakeOverdue(sweep, AbortSignal.timeout(10_000));
  const woken = await booking.adminSql`
    select entity_id, topic, signal from outbox where entity_id in (${connectionId}, ${feedId})`;
  expect(woken).toEqual([{ entity_id: connectionId, topic: 'calendarWatch', signal: 'overdue' }]);
});
