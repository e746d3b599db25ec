import type { Sql } from '@mostrador/kit/database/database';

/** The view that has the facts, and the names of their metrics in the order of the stored totals. */
export type Facts<Metric extends string = string> = { readonly view: string; readonly metrics: readonly Metric[] };

/** Whether no store has facts in this span. */
export async function hasNoFacts(sql: Sql, { view }: Facts, from: Date, to: Date): Promise<boolean> {
  const [row] = await sql<[{ none: boolean }]>`
    select not exists (select from ${sql(view)} where at >= ${from} and at < ${to}) as none`;
  return row.none;
}

/** The facts of all stores, summed per quarter-hour. */
export function factsByQuarter(sql: Sql, { view }: Facts, from: Date, to: Date) {
  return sql`
    select store_id, subject, date_bin('15 minutes', at, '2000-01-01T00:00:00Z') as quarter, metric,
      sum(amount)::bigint as amount
    from ${sql(view)} where at >= ${from} and at < ${to}
    group by 1, 2, 3, 4`;
}
