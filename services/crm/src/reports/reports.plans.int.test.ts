import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import { factsByQuarter } from '@mostrador/rollups/facts';
import { quarterMs } from '@mostrador/rollups/quarter';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { blocksOf, explain, type Plan, type PlanNode } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repeatsBetween } from './lead-report.repository.ts';
import { leadRollups } from './rollups.ts';

const dayMs = 86_400_000;
const storeId = randomUUID();
/** The number of stores, including this one. */
const stores = 30;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('crm');
  const { adminSql } = database;
  const others = Array.from({ length: stores - 1 }, () => randomUUID());
  await adminSql`
    insert into leads (store_id, name, customer_phone)
    select store, 'Maria', (5511900000000 + n)::text
    from unnest(${[storeId, ...others]}::uuid[]) as store, generate_series(1, case store when ${storeId} then 1000 else 10 end) as n`;
  // One year of changes: 60,000 of this store, a few of which are repeated, and 600 of each other store.
  await adminSql`
    insert into lead_status_changes (store_id, lead_id, version, from_status, to_status, changed_at, previous_at)
    select store_id, id, version, case when version > 1 then 'pending' end, 'converted',
      now() - (1000 * version + n) * interval '8.6 minutes', case when n = 1 then now() - version * interval '6 days' end
    from generate_series(1, 60) as version,
      (select store_id, id, row_number() over (partition by store_id order by id) as n from leads) as lead`;
  await adminSql`
    insert into lead_seller_changes (store_id, lead_id, version, to_seller, changed_at)
    select store_id, lead_id, version, gen_random_uuid(), changed_at from lead_status_changes
    where version % 10 = 1 and store_id <> ${storeId}`;
  await adminSql`vacuum analyze`;
});
afterAll(() => database?.drop());

/** Wraps `sql`: explains a statement that matches `beginning` before it runs. */
function explaining(sql: Sql, beginning: RegExp, plans: Plan[]): Sql {
  const call = (text: TemplateStringsArray, ...values: never[]) => {
    if (!beginning.test(text[0] ?? '')) return sql(text, ...values);
    return explain(sql, sql(text, ...values)).then((plan) => {
      plans.push(plan);
      return sql(text, ...values);
    });
  };
  return Object.assign(call, sql) as unknown as Sql;
}

const deadline = () => Date.now() + 60_000;
async function planOfSummary(): Promise<readonly PlanNode[]> {
  const boundaries = Array.from(
    { length: 366 },
    (_, day) => new Date(Math.floor(Date.now() / dayMs + day - 364) * dayMs),
  );
  const plans: Plan[] = [];
  await database.database.read({ storeId, deadline: deadline() }, (sql) =>
    leadRollups.read(explaining(sql, /with recursive/, plans), storeId, {
      boundaries,
      subjects: true,
      alongside: repeatsBetween(sql, storeId, boundaries),
    }),
  );
  return plans[0] ?? [];
}

test('a summary of a year uses look-ups, however many changes there are', async () => {
  for (;;) {
    const { more } = await leadRollups.close({ ...database, deadline: deadline() });
    if (!more) break;
  }
  await database.adminSql`vacuum analyze report_quarters`;
  const nodes = (await planOfSummary()).filter((node) => node['Relation Name'] !== undefined);
  expect(scanned(nodes)).toEqual(['report_closing']);
  const totals = nodes.filter((node) => node['Relation Name'] === 'report_quarters');
  const lookUps = totals.reduce((sum, node) => sum + node['Actual Loops'], 0);
  expect(totals.reduce((sum, node) => sum + blocksOf(node), 0)).toBeLessThan(6 * lookUps);
  // It reads only two kinds of facts: repeated changes, and changes that are not in a rollup yet.
  const changes = nodes.filter((node) => node['Relation Name'] === 'lead_status_changes');
  const rows = changes.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...rows)).toBeLessThan(100);
});

test('closing a quarter-hour reads only what happened in it', async () => {
  const to = new Date(Date.now() - 100 * dayMs);
  const nodes = await database.systemDatabase.read({ deadline: deadline() }, (sql) =>
    explain(sql, factsByQuarter(sql, { view: 'report_facts', metrics: [] }, new Date(to.getTime() - quarterMs), to)),
  );
  expect(scanned(nodes)).not.toContain('lead_status_changes');
  // A few blocks for each store in each part of the view, to find where its next row would be.
  expect(blocksOf(nodes[0])).toBeLessThan(stores * 5 * 12);
});

/** The tables with a sequential scan. */
function scanned(nodes: readonly PlanNode[]): (string | undefined)[] {
  return nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
}
