import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, type PlanNode } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBookings } from './booking.repository.ts';

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
});
afterAll(() => database?.drop());

test('a booking reads what begins in the two days before it, and not the bookings of the year', async () => {
  const wish = { scheduled_at: new Date('2027-06-01T12:00:00.000Z'), duration_minutes: 30 };
  const times = [{ ...wish, buffer_before_minutes: null, buffer_after_minutes: null }];
  const scope = { storeId, deadline: Date.now() + 30_000 };
  const { nodes, found } = await database.database.read(scope, async (sql: Sql) => ({
    nodes: await explain(sql, findBookings(sql, storeId, times, [])),
    found: await findBookings(sql, storeId, times, []),
  }));
  // With its buffers it begins at 11:50 and ends at 12:40.
  expect(found.map(({ scheduled_at }) => scheduled_at.getUTCHours()).toSorted()).toEqual([11, 12]);
  const node = nodes.find((each) => each['Relation Name'] === 'bookings');
  expect(node).toBeDefined();
  // All of the year would be 285 blocks.
  expect(blocksOf(node as PlanNode)).toBeLessThanOrEqual(50);
});
