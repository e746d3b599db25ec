import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, type Plan } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryOf } from '../../test/entries.ts';
import { findKnown } from './append.repository.ts';
import { findEvents } from './event.repository.ts';

const storeId = randomUUID();
const perDay = 3_000;
const days = 32;
const last = days * perDay;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('events');
  const { adminSql } = database;
  // Midnight may pass meanwhile.
  const [{ today }] = await adminSql<[{ today: string }]>`select current_date::text as today`;
  for (let day = 0; day < days; day++) await adminSql`select make_event_partition(${today}::date - ${day}::int)`;
  for (const store of [randomUUID(), storeId, randomUUID()]) {
    await adminSql`
      insert into events (store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, appended_at)
      select ${store}, n, gen_random_uuid(), case when n % 50 = 0 then 'lead.created' else 'lead.updated' end, 'lead',
        gen_random_uuid(), n, '{}', at, at
      from generate_series(1, ${last}::int) as n,
        lateral (select (${today}::date - ${days - 1}::int + (n - 1) / ${perDay}::int)::timestamp at time zone 'UTC') as day (at)`;
    await adminSql`
      insert into feeds (store_id, last_sequence, last_appended_at) values (${store}, ${last}, now())`;
  }
  await adminSql`vacuum analyze events`;
  await adminSql`vacuum analyze feeds`;
});
afterAll(() => database?.drop());

const planOf = (query: (sql: Sql) => object): Promise<Plan> =>
  database.database.read({ storeId, deadline: Date.now() + 30_000 }, (sql) => explain(sql, query(sql)));

/** Every partition is looked up in its index, and none is read as a whole. */
function expectIndexes(plan: Plan, mostBlocks: number) {
  const scans = plan.filter((node) => node['Relation Name']?.startsWith('events'));
  expect(scans.length).toBeGreaterThan(0);
  expect(new Set(scans.map((node) => node['Node Type']))).not.toContain('Seq Scan');
  expect(blocksOf(plan[0])).toBeLessThan(mostBlocks);
}

test.each([
  ['the newest events', last - 10],
  ['events of the middle', last / 2],
  ['the oldest events', 0],
])('a page of %s is read from the index of each partition', async (_, start) => {
  const plan = await planOf((sql) => findEvents(sql, storeId, { start, until: start + 2000, filters: {}, limit: 50 }));
  // About three blocks in each partition, and those of the page.
  expectIndexes(plan, days * 4 + 60);
});

test('a page with filters reads at most 2,000 events', async () => {
  const filters = { types: ['seller.deleted'], entityId: randomUUID() };
  const plan = await planOf((sql) => findEvents(sql, storeId, { start: 5000, until: 7000, filters, limit: 50 }));
  expectIndexes(plan, days * 4 + 2000);
  const removed = plan.map((node) => (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops']);
  expect(removed.reduce((sum, rows) => sum + rows, 0)).toBe(2000);
});

test('an append looks for events that the feeds have in the partitions of the last two days', async () => {
  const entries = Array.from({ length: 200 }, () => entryOf(storeId));
  const plan = await database.systemDatabase.read({ deadline: Date.now() + 30_000 }, (sql) =>
    explain(sql, findKnown(sql, entries, new Date())),
  );
  const scans = plan.filter((node) => node['Relation Name']?.startsWith('events'));
  expect(scans.length).toBeLessThanOrEqual(2);
  expect(new Set(scans.map((node) => node['Node Type']))).not.toContain('Seq Scan');
});
