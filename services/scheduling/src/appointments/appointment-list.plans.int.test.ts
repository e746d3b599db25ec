import { randomUUID } from 'node:crypto';
import { appointmentStatuses } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, explainGeneric } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filtersBeyond } from '../list-filters.ts';
import { appointmentList } from './appointment-list.repository.ts';
import type { AppointmentFilters } from './appointment-list.ts';

const { count: countAppointments, countUnsettled, page: listAppointments } = appointmentList;

const rowCount = 30_000;
const [storeId, leadId] = [randomUUID(), randomUUID()];
/** Appointment `n` begins at hour `n`, and has changed at a second in another order. */
const hour = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 3_600_000);
const second = (n: number) => new Date(Date.UTC(2026, 5, 1) + n * 1000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
  const { adminSql } = database;
  // Two other stores with as many. A lead in 300 has appointments here, one status is rare, few are confirmed, and few have
  // no seller.
  for (const store of [randomUUID(), storeId, randomUUID()]) {
    await adminSql`
      insert into appointments (store_id, lead_id, title, scheduled_at, duration_minutes, status, seller_id,
        confirmed_at, created_at, updated_at)
      select ${store}, case when n % 300 = 0 then ${leadId}::uuid else gen_random_uuid() end, 'Haircut',
        ${hour(0)}::timestamptz + n * interval '1 hour', 60,
        case when n % 100 = 1 then 'no_show' when n % 3 = 0 then 'done' else 'scheduled' end,
        case when n % 200 <> 2 then gen_random_uuid() end, case when n % 200 = 1 then ${second(0)}::timestamptz end,
        ${second(0)},
        ${second(0)}::timestamptz + (n * 7919 % ${rowCount}) * interval '1 second'
      from generate_series(1, ${rowCount}::int) as n`;
  }
  await adminSql`vacuum analyze appointments`;
});
afterAll(() => database?.drop());

const scope = () => ({ storeId, deadline: Date.now() + 30_000 });

async function planOf(query: (sql: Sql) => object) {
  const nodes = await database.database.read(scope(), (sql) => explain(sql, query(sql)));
  const ofTable = nodes.filter((node) => node['Relation Name'] === 'appointments');
  return {
    rows: nodes[0]['Actual Rows'],
    types: nodes.map((node) => node['Node Type']),
    read: ofTable.reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    ),
    blocks: blocksOf(nodes[0]),
  };
}

const limit = 51;
const places: [string, (sort: string) => TimePageStart][] = [
  ['first', () => ({ offset: 0 })],
  ['deep', (sort) => ({ after: { at: (sort === 'updated_at' ? second : hour)(rowCount / 2), id: randomUUID() } })],
];
const filters: Record<string, AppointmentFilters> = {
  'no filter': {},
  'a frequent status': { status: ['scheduled'] },
  'a rare status': { status: ['no_show'] },
  'several statuses': { status: ['done', 'no_show'] },
};
const changes: Record<string, AppointmentFilters> = {
  ...filters,
  'a moment': { updated_after: second(10) },
  'a moment and a rare status': { updated_after: second(10), status: ['no_show'] },
};

test.each(
  places.flatMap(([place, start]) => [
    ...Object.entries(filters).map(([name, filter]) => ({ place, start, name, filter, sort: 'scheduled_at' as const })),
    ...Object.entries(changes).map(([name, filter]) => ({ place, start, name, filter, sort: 'updated_at' as const })),
  ]),
)('a $place page with $name by $sort is read from an index, and stops after it', async ({ start, filter, sort }) => {
  const at = start(sort);
  const following = sort === 'updated_at' ? { ...filter, updated_before: second(rowCount + 60) } : filter;
  const needed = 'after' in at && sort === 'updated_at' ? filtersBeyond(following, at.after.at) : following;
  const page = await planOf((sql) => listAppointments(sql, storeId, needed, { sort, start: at, limit }));
  expect(page.rows).toBe(limit);
  expect(page.types.filter((type) => /Seq Scan|Bitmap/.test(type))).toEqual([]);
  expect(page.read).toBeLessThanOrEqual(limit * appointmentStatuses.length);
  expect(page.blocks).toBeLessThan((75 + 5) * appointmentStatuses.length);
});

test.each([
  { from: hour(15_000), to: hour(15_024), overlap: true },
  { from: hour(15_000), to: hour(15_024), overlap: true, status: ['scheduled', 'done'] },
  { from: hour(rowCount - 20), overlap: true },
] satisfies AppointmentFilters[])('a range with what overlaps it reads one day more: %o', async (filter) => {
  const page = { sort: 'scheduled_at', start: { offset: 0 }, limit } as const;
  for (const query of [
    (sql: Sql) => listAppointments(sql, storeId, filter, page),
    (sql: Sql) => countAppointments(sql, storeId, filter),
  ]) {
    const { read, types } = await planOf(query);
    expect(read).toBeLessThanOrEqual(48);
    expect(types).not.toContain('Seq Scan');
  }
});

test.each([
  { updated_after: second(rowCount - 50) },
  { updated_after: second(rowCount - 50), status: ['scheduled', 'done'] },
  { updated_after: second(rowCount - 50), updated_before: second(rowCount) },
] satisfies AppointmentFilters[])('a count of what changed lately reads only that: %o', async (filter) => {
  const count = (sql: Sql) => countAppointments(sql, storeId, filter);
  expect((await planOf(count)).read).toBeLessThanOrEqual(50);
  const generic = await database.database.read(scope(), (sql) => explainGeneric(sql, count(sql)));
  expect(Math.max(...generic.map((node) => node['Plan Rows']))).toBeLessThan(rowCount / 20);
});

test('the total of a list of changes reads only the latest of them', async () => {
  const updated_before = second(rowCount - 19);
  for (const filter of Object.values(filters)) {
    const { read, types } = await planOf((sql) => countUnsettled(sql, storeId, { ...filter, updated_before }));
    expect(read).toBeLessThanOrEqual(20);
    expect(types).not.toContain('Seq Scan');
  }
});

test.each(places)('a %s page of confirmed appointments reads no others', async (_, start) => {
  const page = { sort: 'scheduled_at', start: start('scheduled_at'), limit } as const;
  const { read, types } = await planOf((sql) => listAppointments(sql, storeId, { confirmed: true }, page));
  expect(read).toBeLessThanOrEqual(limit);
  expect(types.filter((type) => /Seq Scan|Bitmap/.test(type))).toEqual([]);
});

test.each(
  places.flatMap(([place, start]) =>
    ([undefined, ['scheduled'], ['scheduled', 'done']] as const).map((status) => ({ place, start, status })),
  ),
)('a $place page of appointments without a seller reads no others, also with the status $status', async (given) => {
  const { start, status } = given;
  const filter: AppointmentFilters = { seller_id: null, ...(status && { status }) };
  const page = { sort: 'scheduled_at', start: start('scheduled_at'), limit } as const;
  const { read, types } = await planOf((sql) => listAppointments(sql, storeId, filter, page));
  expect(read).toBeLessThanOrEqual(rowCount / 200);
  expect(types).not.toContain('Seq Scan');
});

test('the total of appointments without a seller reads no others', async () => {
  for (const filter of [{ seller_id: null }, { seller_id: null, status: ['scheduled', 'done'] as const }]) {
    const { read, types } = await planOf((sql) => countAppointments(sql, storeId, filter));
    expect(read).toBeLessThanOrEqual(rowCount / 200);
    expect(types).not.toContain('Seq Scan');
  }
});

test('a page of one lead reads the appointments of this lead alone', async () => {
  for (const sort of ['scheduled_at', 'updated_at'] as const) {
    for (const filter of [{}, { status: ['scheduled', 'done'] as const }, { updated_after: second(10) }]) {
      const { read, rows } = await planOf((sql) =>
        listAppointments(sql, storeId, { ...filter, lead_id: leadId }, { sort, start: { offset: 0 }, limit }),
      );
      expect(rows).toBeGreaterThan(0);
      expect(read).toBeLessThanOrEqual(rowCount / 300);
    }
  }
});
