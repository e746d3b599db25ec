import { randomUUID } from 'node:crypto';
import { messageStatuses } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { silentLog } from '@mostrador/testing/context';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, explainGeneric } from '@mostrador/testing/servers/plan';
import { countReads } from '@mostrador/testing/servers/rows-read';
import { createListTotals } from '@mostrador/totals';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messagingLists } from '../dependencies.ts';
import { listMessages } from './message.repository.ts';
import { countStoreMessages, countUnsettled, listStoreMessages } from './message-list.repository.ts';
import { filtersBeyond, filtersOf, rowsOf } from './message-list.ts';

const rowCount = 30_000;
const [storeId, leadId] = [randomUUID(), randomUUID()];
/** Message `n` was created at second `n`. The first third has not changed since `updated_at` exists. */
const second = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('messaging');
  const { adminSql } = database;
  // Two other stores with as many messages each. Every store has 300 leads.
  for (const store of [randomUUID(), storeId, randomUUID()]) {
    const first = store === storeId ? leadId : randomUUID();
    await adminSql`
      insert into conversations (store_id, lead_id)
      select ${store}, case n when 0 then ${first}::uuid else gen_random_uuid() end from generate_series(0, 299) as n`;
    await adminSql`
      insert into sessions (store_id, lead_id, started_at, last_message_at)
      select store_id, lead_id, ${second(0)}, ${second(0)} from conversations where store_id = ${store}`;
    await adminSql`
      with lead as (
        select lead_id, id as session_id, row_number() over (order by (lead_id = ${first}) desc, lead_id) - 1 as place
        from sessions where store_id = ${store})
      insert into messages (store_id, lead_id, session_id, number, direction, source, body, status, created_at, updated_at)
      select ${store}, lead_id, session_id, n, case when n % 2 = 0 then 'inbound' else 'outbound' end,
        case when n % 2 = 0 then 'lead' else 'api' end, 'Hello',
        case when n % 2 = 0 then 'received' when n % 100 = 1 then 'failed' when n % 3 = 0 then 'read' else 'delivered' end,
        ${second(0)}::timestamptz + n * interval '1 second',
        ${second(0)}::timestamptz + n * interval '1 second'
      from generate_series(1, ${rowCount}::int) as n join lead on place = n % 300`;
  }
  await adminSql`vacuum analyze messages`;
});
afterAll(() => database?.drop());

async function planOf(query: (sql: Sql) => object) {
  const deadline = Date.now() + 30_000;
  const nodes = await database.database.read({ storeId, deadline }, (sql) => explain(sql, query(sql)));
  const ofMessages = nodes.filter((node) => node['Relation Name'] === 'messages');
  return {
    rows: nodes[0]['Actual Rows'],
    types: nodes.map((node) => node['Node Type']),
    read: ofMessages.reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    ),
    blocks: blocksOf(nodes[0]),
  };
}

const limit = 51;
const settled = second(rowCount + 60);
function pageOf(query: Parameters<typeof filtersOf>[0], start: TimePageStart) {
  const filters = filtersOf(query, settled);
  const needed = 'after' in start ? filtersBeyond(filters, start.after.at) : filters;
  return planOf((sql) => listStoreMessages(sql, storeId, needed, { start, limit }));
}

const places: [string, TimePageStart][] = [
  ['first', { offset: 0 }],
  ['deep', { after: { at: second(rowCount / 2), id: randomUUID() } }],
];
const filters = {
  'no filter': {},
  'the inbound direction': { direction: 'inbound' },
  'the outbound direction': { direction: 'outbound' },
  'a frequent status': { status: 'delivered' },
  'a rare status': { status: 'failed' },
  'several statuses': { status: 'failed,read' },
  since: { since: second(10).toISOString() },
  'since and a status': { since: second(10).toISOString(), status: 'failed' },
} as const;

test.each(
  places.flatMap(([place, start]) => Object.entries(filters).map(([name, query]) => ({ place, start, name, query }))),
)('a $place page with $name is read from an index, and stops after it', async ({ start, query }) => {
  const { rows, types, read, blocks } = await pageOf(query, start);
  expect(rows).toBe(limit);
  expect(types.filter((type) => /Seq Scan|Bitmap/.test(type))).toEqual([]);
  // Each status has at most the first row of its own in excess.
  expect(read).toBeLessThanOrEqual(limit + messageStatuses.length);
  expect(blocks).toBeLessThan(75 + 5 * messageStatuses.length);
});

test('a page of one lead reads the messages of this lead alone', async () => {
  for (const [, start] of places) {
    const { rows, types, read } = await pageOf({ lead_id: leadId, status: 'received' }, start);
    expect(rows).toBeGreaterThan(0);
    expect(types).not.toContain('Seq Scan');
    expect(read).toBeLessThanOrEqual(rowCount / 300);
  }
});

test('a plan for any lead reads a page of its messages from their index', async () => {
  for (const start of [{ offset: 0 }, { after: 50 }]) {
    const page = (sql: Sql) => explainGeneric(sql, listMessages(sql, storeId, leadId, { start, limit }));
    const scope = { storeId, deadline: Date.now() + 30_000 };
    const nodes = await database.database.read(scope, page, { inIndexOrder: true });
    const types = nodes.map((node) => node['Node Type']);
    expect(types.filter((type) => /Sort|Seq Scan|Bitmap/.test(type))).toEqual([]);
    // The page, and the first waiting message of the lead.
    const scans = nodes.filter((node) => node['Node Type'] === 'Index Scan');
    expect(scans.map((node) => node.Filter)).toEqual([undefined, "(status = 'queued'::text)"]);
  }
});

test.each(Object.entries(filters).flatMap(([name, query]) => ('since' in query ? [] : [{ name, query }])))(
  'the total with $name reads no message, except the latest changes',
  async ({ query }) => {
    const { systemDatabase } = database;
    const scope = { storeId, deadline: Date.now() + 30_000 };
    const totals = createListTotals({
      lists: messagingLists,
      database: database.database,
      systemDatabase,
      log: silentLog(),
    });
    await totals.rebuild(scope);
    const filter = filtersOf(query, settled);
    await database.database.write(scope, async (sql) => {
      const { result: total, read } = await countReads(sql, 'messages', () =>
        totals.count(sql, storeId, { list: 'messages', ...rowsOf(filter) }, () => Promise.resolve(-1)),
      );
      expect(read).toBe(0);
      expect([{ total }]).toEqual(await countStoreMessages(sql, storeId, filter));
    });
    // The last 20 changes may be uncommitted.
    const unsettled = filtersOf(query, second(rowCount - 19));
    const { read, types } = await planOf((sql) => countUnsettled(sql, storeId, unsettled));
    expect(read).toBeLessThanOrEqual(20);
    expect(types).not.toContain('Seq Scan');
    const generic = await database.database.read(scope, (sql) =>
      explainGeneric(sql, countUnsettled(sql, storeId, unsettled)),
    );
    expect(Math.max(...generic.map((node) => node['Plan Rows']))).toBeLessThan(rowCount / 20);
  },
);

test.each<[Parameters<typeof filtersOf>[0], number]>([
  [{ since: second(rowCount - 100).toISOString() }, 100],
  [{ status: 'failed' }, rowCount / 100],
  [{ lead_id: leadId }, rowCount / 300],
])('the total of %o counts only rows that match', async (query, most) => {
  const { read, types } = await planOf((sql) => countStoreMessages(sql, storeId, filtersOf(query, settled)));
  expect(types).not.toContain('Seq Scan');
  expect(read).toBeLessThanOrEqual(most);
});
