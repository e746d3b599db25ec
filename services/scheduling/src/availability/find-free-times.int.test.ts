import { randomUUID } from 'node:crypto';
import { dayMs } from '@mostrador/hours/local-days';
import type { Database } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreeTimes, type Search } from './find-free-times.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createTestDatabase('scheduling');
});
afterAll(() => kit?.drop());

const hourMs = 3_600_000;
const from = Math.ceil(Date.now() / dayMs) * dayMs;
const search: Search = {
  named: { choice: { sellers: [], isNamed: false }, service: null },
  duration_minutes: 60,
  appointment_id: null,
};

async function createStore(): Promise<string> {
  const storeId = randomUUID();
  await kit.adminSql`insert into booking_rules (store_id, overlap, capacity, slot_step_minutes, buffer_before_minutes,
    buffer_after_minutes, minimum_notice_minutes, horizon_days, exceptions, timezone)
    values (${storeId}, 'reject', 1, 60, 0, 0, 0, 730, '[]', 'UTC')`;
  return storeId;
}

/** Books every hour of the days, except for those with these numbers. */
const bookHours = (storeId: string, days: number, except: readonly number[]) => kit.adminSql`
  insert into bookings (store_id, id, place, starts_at, ends_at, scheduled_at, duration_minutes)
  select ${storeId}, uuidv7(), ${randomUUID()}, at, at + interval '1 hour', at, 60
  from (select ${new Date(from)}::timestamptz + n * interval '1 hour' as at
    from generate_series(0, ${24 * days - 1}::int) n where n <> all(${[...except]}::int[])) hours`;

/** Makes the calendar busy, with as many times a day, one after the other. */
async function fillCalendar(storeId: string, days: number, timesADay: number): Promise<void> {
  const connection = { store_id: storeId, connection_id: randomUUID() };
  await kit.adminSql`
    insert into calendar_connections (store_id, id, provider) values (${storeId}, ${connection.connection_id}, 'google')`;
  await kit.adminSql`insert into calendar_watches ${kit.adminSql(connection)}`;
  await kit.adminSql`insert into calendar_objects ${kit.adminSql({ ...connection, href: 'event' })}`;
  await kit.adminSql`
    insert into calendar_busy_times (store_id, connection_id, href, starts_at, ends_at)
    select ${storeId}, ${connection.connection_id}, 'event', at, at + ${`${86_400 / timesADay} s`}::interval
    from (select ${new Date(from)}::timestamptz + n * ${`${86_400 / timesADay} s`}::interval as at
      from generate_series(0, ${days * timesADay - 1}::int) n) times`;
}

/** The free times of the days, as hours since the first, and how many round trips the search took. */
async function searchDays(storeId: string, days: number) {
  let reads = 0;
  const database = {
    read: (...parameters: Parameters<Database['read']>) => {
      reads += 1;
      return kit.database.read(...parameters);
    },
  } as Database;
  const range = { from, until: from + days * dayMs };
  const { times, reason } = await findFreeTimes({ database }, testContext({ storeId }), search, range, 500);
  return { hours: times.map(({ start }) => (start - from) / hourMs), reason, reads };
}

test('a full year is searched in four round trips, and a free hour is found wherever it is', async () => {
  const full = await createStore();
  await bookHours(full, 366, []);
  expect(await searchDays(full, 366)).toEqual({ hours: [], reason: 'full', reads: 4 });
  const free = await createStore();
  // Before and behind each border of two stretches, and at both ends.
  const hours = [0, 31, 93, 217, 366]
    .flatMap((day) => [24 * day - 1, 24 * day])
    .filter((hour) => hour >= 0 && hour < 8784);
  await bookHours(free, 366, hours);
  expect(await searchDays(free, 366)).toEqual({ hours, reason: null, reads: 4 });
});

test('where much is taken, a round trip reads no more than a month of it', async () => {
  const storeId = await createStore();
  await fillCalendar(storeId, 93, 720);
  expect(await searchDays(storeId, 93)).toEqual({ hours: [], reason: 'full', reads: 3 });
});
