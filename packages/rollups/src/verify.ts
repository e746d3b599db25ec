import type { Sql, SystemDatabase } from '@mostrador/kit/database/database';
import { type Facts, factsByQuarter, hasNoFacts } from './facts.ts';
import { nothingClosed } from './quarter.ts';
import { endOfWork, walk } from './walk.ts';

export type Wrong = {
  readonly store_id: string;
  readonly subject: string;
  readonly quarter: Date;
  readonly metric: string;
  /** The amount of this quarter-hour in the rollups, and in the facts. */
  readonly is: number;
  readonly should_be: number;
};

export type Verified = {
  /** Null when nothing is closed. */
  readonly closed_until: Date | null;
  /** Where to continue; null at the end. */
  readonly next: Date | null;
  /** Compared quarter-hours, per subject, in which something happened. */
  readonly quarters: number;
  /** At most 100. */
  readonly wrong: readonly Wrong[];
};

const mostWrong = 100;

/** Compares what each closed quarter-hour added to the totals with its facts. */
export async function verifyQuarters(
  facts: Facts,
  systemDatabase: SystemDatabase,
  { after, deadline }: { readonly after: Date | null; readonly deadline: number },
): Promise<Verified> {
  const [row] = await systemDatabase.read(
    { deadline },
    (sql) => sql<[{ closed_until: Date }]>`select closed_until from report_closing`,
  );
  const until = row.closed_until;
  const span = { from: after ?? nothingClosed, until, endsAtMs: endOfWork(deadline) };
  const wrong: Wrong[] = [];
  let quarters = 0;
  const reached = await walk(
    span,
    (from, to) =>
      systemDatabase.read(
        { deadline },
        async (sql) => (await hasNoFacts(sql, facts, from, to)) && (await hasNoRows(sql, from, to)),
      ),
    async (from, to) => {
      if (wrong.length >= mostWrong) return undefined;
      const found = await systemDatabase.read({ deadline }, (sql) => compareStretch(facts, sql, from, to));
      wrong.push(...found.wrong.slice(0, mostWrong - wrong.length));
      quarters += found.quarters;
      return found.quarters;
    },
  );
  return {
    closed_until: until > nothingClosed ? until : null,
    next: reached < until ? reached : null,
    quarters,
    wrong,
  };
}

async function hasNoRows(sql: Sql, from: Date, to: Date): Promise<boolean> {
  const [row] = await sql<[{ none: boolean }]>`
    select not exists (select from report_quarters where quarter >= ${from} and quarter < ${to}) as none`;
  return row.none;
}

async function compareStretch(facts: Facts, sql: Sql, from: Date, to: Date) {
  const [row] = await sql<[{ quarters: number; wrong: (Omit<Wrong, 'quarter'> & { quarter: string })[] | null }]>`
    with fact as (${factsByQuarter(sql, facts, from, to)}),
    closed as (
      select store_id, subject, quarter, counts, coalesce(
        lag(counts) over (partition by store_id, subject order by quarter),
        (select counts from report_quarters as earlier
         where earlier.store_id = closed.store_id and earlier.subject = closed.subject and earlier.quarter < ${from}
         order by earlier.quarter desc limit 1)) as before
      from report_quarters as closed
      where quarter >= ${from} and quarter < ${to}),
    added as (
      select store_id, subject, quarter, metric,
        coalesce(counts[position], 0) - coalesce(before[position], 0) as amount
      from closed, unnest(${facts.metrics}::text[]) with ordinality as given (metric, position)),
    compared as (
      select store_id, subject, quarter, metric, coalesce(added.amount, 0) as is, coalesce(fact.amount, 0) as should_be
      from added full join fact using (store_id, subject, quarter, metric)),
    wrong as (
      select * from compared where compared.is <> should_be order by quarter, store_id, subject, metric limit ${mostWrong})
    select (select count(*)::int from (select distinct store_id, subject, quarter from compared) as each) as quarters,
      (select json_agg(wrong) from wrong) as wrong`;
  return {
    quarters: row.quarters,
    wrong: (row.wrong ?? []).map((one) => ({ ...one, quarter: new Date(one.quarter) })),
  };
}
