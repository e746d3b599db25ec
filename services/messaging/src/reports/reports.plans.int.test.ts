import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import { factsByQuarter } from '@mostrador/rollups/facts';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countAds } from './ad-report.repository.ts';

const [storeId, leadId] = [randomUUID(), randomUUID()];
const stores = 20;
const scope = () => ({ storeId, deadline: Date.now() + 60_000 });

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('messaging');
  const { adminSql } = database;
  const others = Array.from({ length: stores - 1 }, () => randomUUID());
  await adminSql`
    insert into conversations (store_id, lead_id)
    select store, case when n = 1 and store = ${storeId} then ${leadId}::uuid else gen_random_uuid() end
    from unnest(${[storeId, ...others]}::uuid[]) as store,
      generate_series(1, case store when ${storeId} then 400 else 40 end) as n`;
  // Over a hundred days: 16,000 sessions and 80,000 messages of this store, and twice as many of the other stores.
  await adminSql`
    insert into sessions (store_id, lead_id, status, started_at, last_message_at, ended_at, end_recorded_at,
      opened_by_lead, first_response_at)
    select store_id, lead_id, 'ended', at, at, at + interval '1 day', at + interval '1 day', true, at + interval '1 minute'
    from conversations, generate_series(1, 40) as n,
      lateral (select now() - (n + random()) * interval '2.4 days' as at where store_id is not null) as moment`;
  await adminSql`
    insert into messages (store_id, lead_id, session_id, number, direction, source, body, status, created_at, counted_at,
      failed_at, content)
    select store_id, lead_id, id, 5 * row_number() over (partition by store_id, lead_id order by id) + n,
      case n when 1 then 'inbound' else 'outbound' end, case n when 1 then 'lead' else 'api' end, 'x',
      case n when 1 then 'received' else 'sent' end, started_at, case when n > 1 then first_response_at end,
      case n when 5 then first_response_at end,
      case when n = 1 and random() < 0.01 then '{"referral": {"source_id": "1"}}'::jsonb end
    from sessions, generate_series(1, 5) as n`;
  await adminSql`vacuum analyze`;
});
afterAll(() => database?.drop());

async function summaryOf(sql: Sql, query: object): Promise<{ scanned: string[]; blocks: number; passed: number }> {
  const nodes = await explain(sql, query);
  return {
    scanned: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] as string] : [])),
    blocks: blocksOf(nodes[0]),
    passed: Math.max(...nodes.map((node) => node['Rows Removed by Filter'] ?? 0)),
  };
}

test('the facts of an open span are read without scanning other rows', async () => {
  const from = new Date(Date.now() - 5 * 86_400_000);
  const to = new Date(from.getTime() + 3_600_000);
  const plan = await database.database.read(scope(), (sql) =>
    summaryOf(
      sql,
      sql`select metric, sum(amount) from report_facts_with_prices where store_id = ${storeId} and at >= ${from} and at < ${to} group by 1`,
    ),
  );
  expect(plan).toMatchObject({ scanned: [], passed: 0 });
  expect(plan.blocks).toBeLessThan(500);
});

test('closing a quarter-hour reads only the rows of that quarter-hour', async () => {
  const from = new Date(Math.floor(Date.now() / 900_000 - 2000) * 900_000);
  const to = new Date(from.getTime() + 900_000);
  const plan = await database.systemDatabase.read(scope(), (sql) =>
    summaryOf(sql, factsByQuarter(sql, { view: 'report_facts_with_prices', metrics: [] }, from, to)),
  );
  expect(plan.scanned).toEqual([]);
  // Each store costs some blocks in each part of the view, for the position of its next row.
  expect(plan.blocks).toBeLessThan(stores * 7 * 12);
});

test('who came from ads is counted without reading other messages', async () => {
  const [from, to] = [new Date(Date.now() - 366 * 86_400_000), new Date()];
  const plan = await database.database.read(scope(), (sql) => summaryOf(sql, countAds(sql, storeId, { from, to })));
  expect(plan).toMatchObject({ scanned: [], passed: 0 });
  expect(plan.blocks).toBeLessThan(1_000);
});

test('the report of a lead reads only its own rows', async () => {
  const plan = await database.database.read(scope(), (sql) =>
    summaryOf(
      sql,
      sql`select metric, sum(amount) from lead_report_facts where store_id = ${storeId} and lead_id = ${leadId} group by 1`,
    ),
  );
  expect(plan.scanned).toEqual([]);
  expect(plan.blocks).toBeLessThan(3000);
});
