import { randomUUID } from 'node:crypto';
import type { Span } from '@mostrador/hours/local-days';
import type { Sql } from '@mostrador/kit/database/database';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, type PlanNode } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAround } from './booking.repository.ts';
import { findBusyTimes, findMergedBusyTimes } from './busy.repository.ts';

const storeId = randomUUID();
const first = new Date('2027-01-01T00:00:00.000Z');
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
  const { adminSql } = database;
  await adminSql`insert into booking_rules (store_id, overlap, capacity, slot_step_minutes, buffer_before_minutes,
    buffer_after_minutes, minimum_notice_minutes, horizon_days, exceptions, timezone)
    values (${storeId}, 'reject', 5, 30, 10, 10, 0, 365, '[]', 'UTC')`;
  // An hour each, 24 a day, for a year. Without statistics, as in a store that was filled just now.
  await adminSql`
    insert into bookings (store_id, id, place, starts_at, ends_at, scheduled_at, duration_minutes)
    select ${storeId}, uuidv7(), gen_random_uuid(), at, at + interval '1 hour', at, 60
    from (select ${first}::timestamptz + n * interval '1 hour' as at from generate_series(0, 8759) n) hours`;
  // A full calendar: twelve events a day for two years.
  const connection = { store_id: storeId, connection_id: randomUUID() };
  await adminSql`
    insert into calendar_connections (store_id, id, provider) values (${storeId}, ${connection.connection_id}, 'google')`;
  await adminSql`insert into calendar_watches ${adminSql(connection)}`;
  await adminSql`insert into calendar_objects ${adminSql({ ...connection, href: 'event' })}`;
  await adminSql`
    insert into calendar_busy_times (store_id, connection_id, href, starts_at, ends_at)
    select ${storeId}, ${connection.connection_id}, 'event', at, at + interval '1 hour'
    from (select ${first}::timestamptz + n * interval '2 hours' as at from generate_series(0, 8759) n) hours`;
});
afterAll(() => database?.drop());

const blocksIn = (nodes: readonly PlanNode[], table: string) =>
  blocksOf(nodes.find((each) => each['Relation Name'] === table) as PlanNode);

test('a booking reads what begins in the two days before it, and neither the bookings nor the busy times of the year', async () => {
  const wish = { scheduled_at: new Date('2027-06-01T12:00:00.000Z'), duration_minutes: 30 };
  const times = [{ ...wish, service_id: null }];
  const scope = { storeId, deadline: Date.now() + 30_000 };
  const { nodes, found } = await database.database.read(scope, async (sql: Sql) => ({
    nodes: await explain(sql, findAround(sql, storeId, times, [])),
    found: await findAround(sql, storeId, times, []),
  }));
  // With its buffers it begins at 11:50 and ends at 12:40. The calendar is busy from 12:00 to 13:00.
  const hoursOf = (some: readonly { starts_at: Date }[]) =>
    some.map(({ starts_at }) => starts_at.getUTCHours()).toSorted();
  expect(hoursOf(found.filter(({ id }) => id !== null))).toEqual([11, 12]);
  expect(hoursOf(found.filter(({ id }) => id === null))).toEqual([12]);
  // All of the year would be 285 blocks, and all busy times 150 and more.
  expect(blocksIn(nodes, 'bookings')).toBeLessThanOrEqual(50);
  expect(blocksIn(nodes, 'calendar_busy_times')).toBeLessThanOrEqual(20);
});

test.each([
  ['as they are', findBusyTimes],
  ['merged', (sql: Sql, id: string, span: Span) => findMergedBusyTimes(sql, id, span, 501)],
] as const)(
  'the busy times of a day in the next weeks, %s, are read without those of the two years',
  async (_, find) => {
    const [start, end] = ['2027-01-15T00:00:00.000Z', '2027-01-16T00:00:00.000Z'].map((text) => new Date(text)) as [
      Date,
      Date,
    ];
    const span = { start: start.getTime(), end: end.getTime() };
    const scope = { storeId, deadline: Date.now() + 30_000 };
    const { nodes, found } = await database.database.read(scope, async (sql: Sql) => ({
      nodes: await explain(sql, find(sql, storeId, span)),
      found: await find(sql, storeId, span),
    }));
    expect(found).toHaveLength(12);
    expect(blocksIn(nodes, 'calendar_busy_times')).toBeLessThanOrEqual(20);
  },
);
