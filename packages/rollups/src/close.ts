import type { Database, Sql, SystemDatabase } from '@mostrador/kit/database/database';
import { findSettledMoment } from '@mostrador/kit/database/settled-moment';
import { type Facts, factsByQuarter, hasNoFacts } from './facts.ts';
import { nothingClosed, quarterMs, storeItself } from './quarter.ts';
import { endOfWork, walk } from './walk.ts';

export type ClosingOptions = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  /** Epoch ms. */
  readonly deadline: number;
};

/** `closed_until` is null when nothing is closed. `more`: some finished quarter-hours are left. */
export type Closed = { readonly closed_until: Date | null; readonly more: boolean };

// `now()` is when a transaction's first statement arrived. Other sessions see the transaction a little later.
const unseenMs = 10_000;

/**
 * Closes finished quarter-hours. It must first find out what is settled and then count it, in this order. It stops when
 * another process is closing and holds the lock.
 */
export async function closeQuarters(facts: Facts, options: ClosingOptions): Promise<Closed> {
  const { systemDatabase, deadline } = options;
  const until = await findClosable(options);
  const [row] = await systemDatabase.read(
    { deadline },
    (sql) => sql<[{ closed_until: Date }]>`select closed_until from report_closing`,
  );
  const span = { from: row.closed_until, until, endsAtMs: endOfWork(deadline) };
  let anotherCloses = false;
  const closedUntil = await walk(
    span,
    (from, to) => systemDatabase.read({ deadline }, (sql) => hasNoFacts(sql, facts, from, to)),
    async (from, to) => {
      const rows = await systemDatabase.write({ deadline }, (sql) => closeStretch(facts, sql, from, to));
      anotherCloses = rows === undefined;
      return rows;
    },
  );
  return {
    closed_until: closedUntil > nothingClosed ? closedUntil : null,
    more: closedUntil < until && !anotherCloses,
  };
}

/** The end of the last quarter-hour in which no role of the service can still record a fact. */
async function findClosable({ database, systemDatabase, deadline }: ClosingOptions): Promise<Date> {
  const settled = await Promise.all([
    database.read({ storeId: storeItself, deadline }, findSettledMoment),
    systemDatabase.read({ deadline }, findSettledMoment),
  ]);
  const ms = Math.min(...settled.map((moment) => moment.getTime())) - unseenMs;
  return new Date(Math.floor(ms / quarterMs) * quarterMs);
}

/** Returns how many rows it wrote, or undefined when another process is closing or has closed this stretch. */
async function closeStretch(facts: Facts, sql: Sql, from: Date, to: Date): Promise<number | undefined> {
  const mine = await sql`select from report_closing where closed_until = ${from} for update skip locked`;
  if (mine.length === 0) return undefined;
  const totals = facts.metrics.map(
    (metric, position) => `coalesce(before.counts[${position + 1}], 0)
      + coalesce(sum(sum(amount) filter (where metric = '${metric}')) over quarters, 0)::bigint`,
  );
  const { count } = await sql`
    with fact as materialized (${factsByQuarter(sql, facts, from, to)}),
    before as (
      select store_id, subject, last.counts
      from (select distinct store_id, subject from fact) as touched
      left join lateral (
        select counts from report_quarters as closed
        where closed.store_id = touched.store_id and closed.subject = touched.subject and closed.quarter < ${from}
        order by closed.quarter desc limit 1) as last on true)
    insert into report_quarters (store_id, subject, quarter, counts)
    select store_id, subject, quarter, array[${sql.unsafe(totals.join(', '))}]
    from fact join before using (store_id, subject)
    group by store_id, subject, quarter, before.counts
    window quarters as (partition by store_id, subject order by quarter)`;
  await sql`update report_closing set closed_until = ${to}`;
  return count;
}
