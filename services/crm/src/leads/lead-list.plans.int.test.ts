import { randomUUID } from 'node:crypto';
import { type LeadSort, leadSorts } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { silentLog } from '@mostrador/testing/context';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, explainGeneric, type Plan } from '@mostrador/testing/servers/plan';
import { countReads } from '@mostrador/testing/servers/rows-read';
import { createListTotals } from '@mostrador/totals';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crmLists } from '../dependencies.ts';
import { countFound, countLeads, countLeftOut, listLeads } from './lead-list.repository.ts';
import { filtersBeyond, hasIndex, isGathered, type LeadFilters, orderOf, rowsOf } from './lead-list.ts';
import { readSearch } from './lead-search.ts';

const rowCount = 30_000;
const storeId = randomUUID();
const sellerIds = Array.from({ length: 20 }, () => randomUUID()).sort();
const daySeconds = 86_400;
/** Lead `n` was created at second `n`, and changed about a day later, in a different order. */
const second = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('crm');
  const { adminSql } = database;
  // Two other stores with as many leads each.
  for (const store of [randomUUID(), storeId, randomUUID()]) {
    await adminSql`
      insert into sellers (store_id, id, name, whatsapp_id)
      select ${store}, id, 'Ana', '5511900000100'
      from unnest(${store === storeId ? sellerIds : sellerIds.map(() => randomUUID())}::uuid[]) as id`;
    await adminSql`
      with seller as (select array_agg(id order by id) as ids from sellers where store_id = ${store})
      insert into leads (store_id, name, customer_phone, status, seller_id, external_id, email, email_key, tags, created_at,
        updated_at, opted_out_at)
      select ${store}, case when n % 1000 = 7 then 'Zuleica Ramos' else 'Maria' end, (5511900000000 + n)::text,
        case when n % 100 = 0 then 'lost' else (array['pending', 'in_progress', 'converted'])[n % 3 + 1] end,
        case when n % 7 > 0 then ids[n % 20 + 1] end,
        'customer ' || n, 'a' || n % 10000 || '@example.com', 'a' || n % 10000 || '@example.com',
        case when n % 100 = 0 then array['vip'] when n % 3 = 0 then array['frequent', 'third'] else '{}' end,
        ${second(0)}::timestamptz + n * interval '1 second',
        ${second(daySeconds)}::timestamptz + (n * 7919 % ${rowCount}) * interval '1 second',
        case when n % 100 = 50 then now() end
      from generate_series(1, ${rowCount}::int) as n, seller`;
  }
  await adminSql`insert into lead_tags (store_id, tag, lead_id) select store_id, tag, id from leads, unnest(tags) as tag`;
  await adminSql`vacuum analyze leads, lead_tags, lead_texts`;
});
afterAll(() => database?.drop());

/** The nodes of PostgreSQL's plan for a page, the outermost first. */
async function planOf(
  filters: LeadFilters,
  sort: LeadSort,
  start: TimePageStart,
  gather = false,
  isBroad = false,
): Promise<Plan> {
  return await database.database.read({ storeId, deadline: Date.now() + 30_000 }, (sql) =>
    explain(sql, listLeads(sql, storeId, filters, { order: orderOf(sort), start, limit: 51, gather, isBroad })),
  );
}

const filters: [string, LeadFilters][] = [
  ['no filter', {}],
  ['a frequent status', { status: ['pending'] }],
  ['a rare status', { status: ['lost'] }],
  ['a seller', { seller_id: sellerIds[3] }],
  ['no seller', { seller_id: null }],
  ['opted out', { opted_out: true }],
  ['created_after', { created_after: second(10) }],
  ['updated_after', { updated_after: second(10) }],
];
const cases = filters.flatMap(([name, filter]) =>
  leadSorts.flatMap((sort) => [
    { name, filter, sort, place: 'first' },
    { name, filter, sort, place: 'deep' },
  ]),
);

test.each(cases)('a $place page with $name by $sort is read from an index', async ({ filter, sort, place }) => {
  const order = orderOf(sort);
  const following = sort === 'updated_at' ? { ...filter, updated_before: new Date() } : filter;
  const at = order.by === 'created_at' ? second(rowCount / 2) : second(rowCount / 2 + daySeconds);
  const nodes =
    place === 'deep'
      ? await planOf(filtersBeyond(following, order, at), sort, { after: { at, id: randomUUID() } })
      : await planOf(following, sort, { offset: 0 });
  const types = nodes.map((node) => node['Node Type']);
  expect(types.filter((type) => /Sort|Seq Scan|Bitmap/.test(type))).toEqual([]);
  expect(types).toContain('Index Scan');
  expect(nodes[0]['Actual Rows']).toBe(51);
  // At most one block for each of the 51 rows, and a few of the index.
  expect(blocksOf(nodes[0])).toBeLessThan(75);
});

test('a page in index order has one plan for any values: it reads the rows of the page and no others', async () => {
  const indexed = cases.filter(({ filter, sort }) => hasIndex(filter, orderOf(sort)));
  expect(indexed).toHaveLength(56);
  for (const { filter, sort, place } of indexed) {
    const order = orderOf(sort);
    const start = place === 'deep' ? { after: { at: second(rowCount / 2), id: randomUUID() } } : { offset: 0 };
    const nodes = await database.database.read(
      { storeId, deadline: Date.now() + 30_000 },
      (sql) =>
        explainGeneric(
          sql,
          listLeads(sql, storeId, filter, { order, start, limit: 51, gather: false, isBroad: false }),
        ),
      { inIndexOrder: true },
    );
    const types = nodes.map((node) => node['Node Type']);
    expect(types, JSON.stringify({ filter, sort, place })).toEqual(['Limit', 'Result', 'Result', 'Index Scan']);
    expect(nodes.every((node) => node.Filter === undefined)).toBe(true);
  }
});

const totalled: LeadFilters[] = [
  {},
  { status: ['pending'] },
  { status: ['pending', 'lost'] },
  { seller_id: sellerIds[3] },
  { seller_id: null },
  { status: ['pending'], seller_id: sellerIds[3] },
  { visible_to: sellerIds[3] },
  { visible_to: sellerIds[3], status: ['lost'], seller_id: null },
];

test.each(totalled)('the total of a first page with %o reads no lead', async (filter) => {
  const { systemDatabase } = database;
  const scope = { storeId, deadline: Date.now() + 30_000 };
  const totals = createListTotals({ lists: crmLists, database: database.database, systemDatabase, log: silentLog() });
  await totals.rebuild(scope);
  const fromRows = () => Promise.reject(new Error('the rows were counted'));
  await database.database.write(scope, async (sql) => {
    const { result: total, read } = await countReads(sql, 'leads', () =>
      totals.count(sql, storeId, { list: 'leads', ...rowsOf(filter) }, fromRows),
    );
    expect(read).toBe(0);
    expect([{ total }]).toEqual(await countLeads(sql, storeId, filter, { isBroad: false }));
  });
});

/** Checks that a count reads at most this number of rows. */
async function expectFewRows(query: (sql: Sql) => Parameters<typeof explainGeneric>[1], most: number) {
  const scope = { storeId, deadline: Date.now() + 30_000 };
  const nodes = await database.database.read(scope, (sql) => explain(sql, query(sql)));
  const read = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...read)).toBeLessThanOrEqual(most);
  // With a plan for any values, PostgreSQL must not overestimate the rows and read the whole store.
  const generic = await database.database.read(scope, (sql) => explainGeneric(sql, query(sql)));
  expect(Math.max(...generic.map((node) => node['Plan Rows']))).toBeLessThan(rowCount / 50);
}

const leftOut = (sql: Sql, filter: LeadFilters) => {
  const query = countLeftOut(sql, storeId, filter);
  if (!query) throw new Error('these filters leave nothing out');
  return query;
};

test.each(totalled)('the total of changes with %o reads only the latest changes', async (filter) => {
  // The last 20 changes may be uncommitted.
  const updated_before = second(daySeconds + rowCount - 20);
  await expectFewRows((sql) => leftOut(sql, { ...filter, updated_before }), 20);
});

test.each(totalled)('the total without those who opted out, with %o, reads only these', async (filter) => {
  await expectFewRows((sql) => leftOut(sql, { ...filter, opted_out: false }), rowCount / 100);
});

const late = second(rowCount - 50);
const changedLate = second(daySeconds + rowCount - 50);

test.each<LeadFilters>([
  ...totalled.map((filter) => ({ ...filter, created_after: late })),
  ...totalled.map((filter) => ({ ...filter, updated_after: changedLate })),
  { created_after: late, updated_after: second(10) },
  { updated_after: changedLate, updated_before: second(daySeconds + rowCount) },
])('a count with a date reads only rows after it: %o', async (filter) => {
  await expectFewRows((sql) => countLeads(sql, storeId, filter, { isBroad: false }), 50);
});

test.each<LeadFilters>([
  { updated_after: second(daySeconds + rowCount - 100) },
  { status: ['lost'], seller_id: sellerIds[1] },
  { status: ['lost'], seller_id: null },
  { tag: ['vip'] },
  { tag: ['vip'], status: ['lost'] },
  { email: 'a77@example.com' },
])('a filter with few and scattered rows reads less than a quarter of the leads: %o', async (filter) => {
  const order = orderOf('-created_at');
  expect(isGathered(filter, order, 100, false)).toBe(true);
  const nodes = await planOf(filter, '-created_at', { offset: 0 }, true);
  const read = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...read)).toBeLessThan(rowCount / 4);
});

test.each<LeadFilters>([
  { customer_phone: '5511900000077' },
  { customer_phone: '5511977776666' },
  { external_id: 'customer 77' },
  { external_id: 'nobody' },
])('a filter by phone or external id reads at most one row: %o', async (filter) => {
  const nodes = await planOf(filter, '-created_at', { offset: 0 });
  expect(nodes.every((node) => node['Actual Rows'] <= 1 && !node['Rows Removed by Filter'])).toBe(true);
});

test.each<LeadFilters>([
  { tag: ['vip'] },
  { tag: ['vip', 'nobody'] },
  { tag: ['vip'], status: ['lost'] },
  { email: 'a77@example.com' },
])('the rows of a tag and of an email address are found by an index: %o', async (filter) => {
  const nodes = await planOf(filter, '-created_at', { offset: 0 }, true);
  const read = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...read)).toBeLessThanOrEqual(rowCount / 100);
});

test('a page of a frequent tag is read in the order of the list, and stops after it', async () => {
  for (const sort of leadSorts) {
    const at = orderOf(sort).by === 'created_at' ? second(rowCount / 2) : second(rowCount / 2 + daySeconds);
    for (const start of [{ offset: 0 }, { after: { at, id: randomUUID() } }]) {
      const nodes = await planOf({ tag: ['frequent'] }, sort, start);
      const read = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
      expect(nodes.map((node) => node['Node Type']).filter((type) => /Sort/.test(type))).toEqual([]);
      expect(Math.max(...read)).toBeLessThan(500);
    }
  }
});

test('a page of several statuses reads one page of each, at any depth', async () => {
  for (const status of [
    ['lost', 'pending'],
    ['converted', 'in_progress', 'lost'],
  ] as const) {
    for (const sort of leadSorts) {
      const at = orderOf(sort).by === 'created_at' ? second(rowCount / 2) : second(rowCount / 2 + daySeconds);
      for (const start of [{ offset: 0 }, { after: { at, id: randomUUID() } }]) {
        const nodes = await planOf({ status }, sort, start);
        const types = nodes.map((node) => node['Node Type']);
        expect(types.filter((type) => /Seq Scan|Bitmap/.test(type))).toEqual([]);
        const read = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
        expect(Math.max(...read)).toBeLessThanOrEqual(51 * status.length);
        expect(blocksOf(nodes[0])).toBeLessThan(75 * status.length);
      }
    }
  }
});

test('the rows of a search are found by an index, also with other filters', async () => {
  for (const filter of [{}, { status: ['lost'] as const }, { seller_id: sellerIds[7], created_after: second(10) }]) {
    const nodes = await planOf({ search: readSearch('zuleica ramos'), ...filter }, '-created_at', { offset: 0 }, true);
    expect(nodes.map((node) => node['Node Type'])).toContain('Function Scan');
    const read = nodes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    expect(Math.max(...read)).toBeLessThanOrEqual(rowCount / 20);
  }
});

test.each([
  ['a part of a word', 'uleic', 30],
  ['a part of a number', '90001234', 10],
  ['two words', 'zuleica 90001', 10],
  ['the beginning of a word', 'zu', 30],
  ['a phone with spaces and signs', '(11) 90001-2345', 1],
  ['nothing', 'nobody else', 0],
])('a search for %s reads only a part of the texts', async (_what, q, found) => {
  const { words, spellings } = readSearch(q);
  await database.database.read({ storeId, deadline: Date.now() + 30_000 }, async (sql) => {
    const query = sql`select from find_lead_texts(${storeId}, ${[...words]}, ${[...spellings]}, 50001)`;
    const [node] = await explain(sql, query);
    // The texts have more than a thousand blocks.
    expect(blocksOf(node)).toBeLessThan(300);
    expect(await countFound(sql, storeId, { words, spellings })).toBe(found);
  });
});

test('a broad search reads its page in the order of the list, and counts no more than it must', async () => {
  const search = readSearch('maria');
  for (const filter of [{}, { status: ['pending'] as const }, { status: ['lost'] as const }]) {
    for (const sort of leadSorts) {
      const at = orderOf(sort).by === 'created_at' ? second(rowCount / 2) : second(rowCount / 2 + daySeconds);
      for (const start of [{ offset: 0 }, { after: { at, id: randomUUID() } }]) {
        const nodes = await planOf({ search, ...filter }, sort, start, false, true);
        expect(nodes.map((node) => node['Node Type']).filter((type) => /Sort|Seq Scan|Bitmap/.test(type))).toEqual([]);
        expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThan(60);
      }
    }
  }
});
