import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, type PlanNode } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBehind, findBehindOf } from './catch-up.repository.ts';
import { countConversations, listConversations } from './inbox.repository.ts';
import { defaultSort, filtersOf } from './inbox.ts';

const rowCount = 100_000;
const [storeId, otherId] = [randomUUID(), randomUUID()];
const [sellerId, idleId] = [randomUUID(), randomUUID()];
/** Conversation `n` had its last message at second `n`. */
const second = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000);
const now = second(rowCount);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('messaging');
  const { adminSql } = database;
  for (const [store, rows] of [
    [otherId, rowCount / 10],
    [storeId, rowCount],
  ] as const) {
    // A tenth of the leads have the seller, a third have none. The rest of each state is rare.
    await adminSql`
      insert into conversations (store_id, lead_id, next_number, counted_next, last_message_at, is_unanswered,
        needs_attention, unread_count, lead_version, lead_name, lead_phone, lead_status, seller_id, ai_paused_until)
      select ${store}, gen_random_uuid(), 2, 2, ${second(0)}::timestamptz + n * interval '1 second', n % 500 = 0,
        n % 700 = 0, (n % 600 = 0)::int, 1, 'Maria', '5511900000001',
        (array['pending', 'in_progress', 'converted', 'lost'])[1 + n % 4],
        case when n % 10 = 0 then ${sellerId}::uuid when n % 3 <> 0 then gen_random_uuid() end,
        case when n % 400 = 0 then ${now}::timestamptz + interval '1 hour' end
      from generate_series(1, ${rows}::int) as n`;
    await adminSql`
      insert into sessions (store_id, lead_id, started_at, last_message_at)
      select store_id, lead_id, last_message_at, last_message_at from conversations where store_id = ${store}`;
    await adminSql`
      insert into messages (store_id, lead_id, session_id, number, direction, source, body, status, created_at)
      select store_id, lead_id, id, 1, 'inbound', 'lead', 'Hello', 'received', started_at from sessions
      where store_id = ${store}`;
  }
  // `idleId` has one lead, who wrote long ago.
  await adminSql`
    update conversations set seller_id = ${idleId} where store_id = ${storeId} and last_message_at = ${second(7)}`;
  await adminSql`vacuum analyze conversations`;
  await adminSql`vacuum analyze messages`;
}, 300_000);
afterAll(() => database?.drop());

const nodesOf = async (query: (sql: Sql) => object) =>
  await database.database.read({ storeId, deadline: Date.now() + 30_000 }, (sql) => explain(sql, query(sql)));
const readOf = (nodes: readonly PlanNode[], table: string) =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );

const limit = 51;
const first: TimePageStart = { offset: 0 };
const deep: TimePageStart = { after: { at: second(rowCount / 2), id: randomUUID() } };

async function pageOf(query: Parameters<typeof filtersOf>[0], start: TimePageStart, visibleTo?: string) {
  const filters = filtersOf(query, { limit: visibleTo, now });
  const { sort = defaultSort } = query;
  const nodes = await nodesOf((sql) => listConversations(sql, storeId, filters, { sort, start, limit }));
  return {
    rows: nodes[0]['Actual Rows'],
    types: nodes.map((node) => node['Node Type']),
    conversations: readOf(nodes, 'conversations'),
    messages: readOf(nodes, 'messages'),
    blocks: blocksOf(nodes[0]),
  };
}

describe('a page is read from an index, and stops after it', () => {
  test.each<[string, Parameters<typeof filtersOf>[0], { most?: number; visibleTo?: string }]>([
    ['without a filter', {}, {}],
    ['of a seller', { seller_id: sellerId }, {}],
    ['of unread conversations', { unread: true }, {}],
    ['of unanswered conversations', { unanswered: true }, {}],
    ['of who has waited longest', { sort: 'waiting_since' }, {}],
    [
      'of who has waited longest and has the seller or none',
      { sort: 'waiting_since' },
      { visibleTo: sellerId, most: 2 * limit },
    ],
    ['of those that need attention', { needs_attention: true }, {}],
    ['of paused leads', { ai_paused: true }, {}],
    // What each third or fourth row has is near in the order of all.
    ['of leads without a seller', { seller_id: 'none' }, { most: 8 * limit }],
    ['of a status', { status: 'lost' }, { most: 8 * limit }],
    ['of what a seller sees', {}, { visibleTo: sellerId, most: 8 * limit }],
    ['of what a seller with one lead sees', {}, { visibleTo: idleId, most: 8 * limit }],
  ])('%s', async (_, query, { most = limit, visibleTo }) => {
    for (const start of [first, deep]) {
      const { rows, types, conversations, messages, blocks } = await pageOf(query, start, visibleTo);
      expect(rows).toBe(limit);
      expect(types.filter((type) => /Seq Scan|Bitmap/.test(type))).toEqual([]);
      expect(conversations).toBeLessThanOrEqual(most);
      expect(messages).toBe(limit);
      expect(blocks).toBeLessThan(10 * limit + most);
    }
  });
});

test('a seller with one old lead finds it without a walk through all', async () => {
  const { rows, conversations, blocks } = await pageOf({ seller_id: idleId }, first);
  expect({ rows, conversations }).toEqual({ rows: 1, conversations: 1 });
  expect(blocks).toBeLessThan(20);
});

test('a filter by seller and rare state reads at most the rows of the narrower one', async () => {
  const { conversations } = await pageOf({ seller_id: sellerId, unread: true }, first);
  expect(conversations).toBeLessThanOrEqual(rowCount / 600 + 1);
});

test('a search reads only the conversations that it found', async () => {
  const lead_ids = (
    await database.adminSql`select lead_id from conversations where store_id = ${storeId} limit 1000`
  ).map(({ lead_id }) => lead_id);
  for (const sellers of [undefined, [sellerId, null]] as const) {
    const filters = { lead_ids, ...(sellers ? { sellers } : {}) };
    const page = { sort: defaultSort, start: first, limit };
    const nodes = await nodesOf((sql) => listConversations(sql, storeId, filters, page));
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(readOf(nodes, 'conversations')).toBeLessThanOrEqual(2 * lead_ids.length);
    expect(readOf(nodes, 'messages')).toBe(limit);
  }
});

test.each<[Parameters<typeof filtersOf>[0], number]>([
  [{ unread: true }, rowCount / 600],
  [{ needs_attention: true }, rowCount / 700],
  [{ seller_id: sellerId }, rowCount / 10],
  [{ seller_id: idleId }, 1],
])('the total of %o counts only rows that match', async (query, most) => {
  const filters = filtersOf(query, { limit: undefined, now });
  const nodes = await nodesOf((sql) => countConversations(sql, storeId, filters));
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(readOf(nodes, 'conversations')).toBeLessThanOrEqual(most + 1);
});

test('the total of all conversations of a store reads no conversation of another store', async () => {
  const nodes = await database.database.read({ storeId: otherId, deadline: Date.now() + 30_000 }, (sql) =>
    explain(sql, countConversations(sql, otherId, {})),
  );
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(readOf(nodes, 'conversations')).toBe(rowCount / 10);
});

test('to find that no conversation is behind reads no conversation', async () => {
  const { systemDatabase } = database;
  const deadline = Date.now() + 30_000;
  const all = await systemDatabase.read({ deadline }, (sql) =>
    explain(sql, findBehind(sql, { after: undefined, limit: 200 })),
  );
  for (const nodes of [all, await nodesOf((sql) => findBehindOf(sql, storeId, 200))]) {
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(blocksOf(nodes[0])).toBeLessThan(10);
  }
});
