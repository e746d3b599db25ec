import type { Sql } from '@mostrador/kit/database/database';
import type { Facts } from './facts.ts';
import { quarterMs, storeItself } from './quarter.ts';
import type { Remembered, TotalsMemory } from './totals-memory.ts';

/** A number for each metric. */
export type Counts<Metric extends string> = Readonly<Record<Metric, number>>;

/** The counts of a subject. Amounts may be negative, so that totals can represent a state: one more, one fewer. */
export type SubjectCounts<Metric extends string> = {
  /** Over the whole span. */
  readonly total: Counts<Metric>;
  /** Over all time, until now. */
  readonly now: Counts<Metric>;
};

export type StoreCounts<Metric extends string> = SubjectCounts<Metric> & {
  /** From each boundary to the next. */
  readonly buckets: readonly Counts<Metric>[];
  /** Every subject that was ever counted, except the store itself. Empty unless requested. */
  readonly subjects: ReadonlyMap<string, SubjectCounts<Metric>>;
  /** The result of the query `alongside`, from the same snapshot. */
  readonly alongside: unknown;
};

export type ReadOptions = {
  /** In ascending order, at least two. Each bucket is from one (inclusive) to the next (exclusive). */
  readonly boundaries: readonly Date[];
  /** Also count each subject, over the whole span. */
  readonly subjects?: boolean;
  /** A query of one JSON value, which sees the same snapshot as the counts. */
  readonly alongside?: ReturnType<Sql['unsafe']>;
};

/** The totals at a boundary, which is numbered from 1. `counts` is an array as text: `{12,7}`. */
type ClosedTotals = [subject: string, boundary: number, counts: string];
/** An amount to add to the totals at the boundaries `first` to `last`. */
type OpenTotals = [subject: string, first: number, last: number, metric: string, amount: number];
type Row = {
  readonly generation: number;
  readonly closed_until: Date;
  readonly closed: readonly ClosedTotals[];
  readonly open: readonly OpenTotals[];
  readonly alongside: unknown;
};

/**
 * The difference of two totals is what happened between them. The totals at a boundary are those of the last closed
 * quarter before it plus the facts from there on. Totals in the memory are not queried again.
 */
export async function readTotals<Metric extends string>(
  facts: Facts<Metric>,
  memory: TotalsMemory,
  sql: Sql,
  storeId: string,
  options: ReadOptions,
): Promise<StoreCounts<Metric>> {
  const { metrics } = facts;
  const { boundaries } = options;
  const remembered = memory.recall(storeId, boundaries.slice(1, -1));
  const asked = boundaries.filter((at) => !remembered.totals.has(at.getTime()));
  const row = await queryTotals(facts, sql, storeId, asked, options);
  // A reset came in between: the remembered totals belong to an older generation.
  if (!memory.agrees(remembered, row)) return readTotals(facts, memory, sql, storeId, options);

  const totals = totalsOf(facts, asked.length + 1, row);
  const ofStore = totals.get(storeItself) ?? zeros(asked.length + 1);
  memory.keep(storeId, asked, ofStore, row);
  totals.delete(storeItself);
  const empty = Object.fromEntries(metrics.map((metric) => [metric, 0])) as Counts<Metric>;
  const ofSubject = (of: Totals) => ({
    total: difference(empty, of[0], of.at(-2)),
    now: difference(empty, undefined, of.at(-1)),
  });
  return {
    ...ofSubject(ofStore),
    buckets: bucketsOf(empty, boundaries, asked, ofStore, remembered),
    subjects: new Map(Array.from(totals, ([id, of]) => [id, ofSubject(of)])),
    alongside: row.alongside,
  };
}

function bucketsOf<Metric extends string>(
  empty: Counts<Metric>,
  boundaries: readonly Date[],
  asked: readonly Date[],
  totals: Totals,
  remembered: Remembered,
): Counts<Metric>[] {
  const found = new Map(asked.map((at, index) => [at.getTime(), totals[index]]));
  const at = boundaries.map((boundary) => {
    const ms = boundary.getTime();
    return remembered.totals.get(ms) ?? found.get(ms);
  });
  return at.slice(1).map((later, bucket) => difference(empty, at[bucket], later));
}

/** The totals at these boundaries. The totals of all time come last. */
async function queryTotals(
  { view }: Facts,
  sql: Sql,
  storeId: string,
  boundaries: readonly Date[],
  { subjects = false, alongside }: ReadOptions,
): Promise<Row> {
  const ends = [1, boundaries.length, boundaries.length + 1];
  const moments = [...boundaries.map((at) => at.toISOString()), 'infinity'];
  const quarters = [
    ...boundaries.map((at) => new Date(Math.floor(at.getTime() / quarterMs) * quarterMs).toISOString()),
    'infinity',
  ];
  const isCut = boundaries.some((at) => at.getTime() % quarterMs !== 0);
  // `at` has two limits for the planner: it expects few rows in a range, but a third of all rows with one limit.
  const query = sql<[Row]>`
    with recursive
    closing as materialized (select closed_until, generation from report_closing),
    boundary as materialized (
      select ord::int, at, least(quarter, closed_until) as quarter
      from closing, unnest(${moments}::timestamptz[], ${quarters}::timestamptz[])
        with ordinality as given (at, quarter, ord)),
    subject (id) as (${
      subjects
        ? sql`
      (select subject from report_quarters where store_id = ${storeId} order by subject limit 1)
      union all
      select (
        select subject from report_quarters where store_id = ${storeId} and subject > subject.id
        order by subject limit 1)
      from subject where id is not null`
        : sql`select ${storeItself}::uuid`
    }),
    closed as (
      select subject.id as subject, ord, last.counts
      from subject join boundary on subject.id = ${storeItself} or ord = any(${ends}::int[])
      cross join lateral (
        select counts from report_quarters as closed
        where closed.store_id = ${storeId} and closed.subject = subject.id and closed.quarter < boundary.quarter
        order by closed.quarter desc limit 1) as last),
    open as (
      select subject, width_bucket(at, ${moments}::timestamptz[]) + 1 as first, ${moments.length}::int as last,
        metric, sum(amount) as amount
      from ${sql(view)}
      where store_id = ${storeId} and at >= (select closed_until from closing) and at < 'infinity'
        ${subjects ? sql`` : sql`and subject = ${storeItself}`}
      group by 1, 2, 4
      ${
        isCut
          ? sql`
      union all
      select part.subject, ord, ord, part.metric, part.amount
      from boundary, closing, lateral (
        select subject, metric, sum(amount) as amount from ${sql(view)}
        where store_id = ${storeId} and at >= boundary.quarter and at < boundary.at
          ${subjects ? sql`` : sql`and subject = ${storeItself}`}
        group by 1, 2) as part
      where boundary.quarter < boundary.at and boundary.at < closed_until`
          : sql``
      })
    select closed_until, generation,
      (select coalesce(json_agg(json_build_array(subject, ord, counts::text)), '[]') from closed) as closed,
      (select coalesce(json_agg(json_build_array(subject, first, last, metric, amount)), '[]') from open) as open,
      ${alongside ? sql`(${alongside})` : sql`null`} as alongside
    from closing`;
  // The plan does not depend on the parameters, and planning takes longer than running. PostgreSQL would plan each call
  // again, because it assumes ten boundaries when it does not see the array.
  const [, [row]] = await Promise.all([planMode(sql, 'force_generic_plan'), query, planMode(sql, 'auto')]);
  return row;
}

/** Applies to the next statements on this connection. Statements that are queued together are sent together. */
const planMode = (sql: Sql, mode: 'auto' | 'force_generic_plan') =>
  sql`select set_config('plan_cache_mode', ${mode}, false)`;

/** Per boundary and metric; a missing element is zero. */
type Totals = readonly (readonly number[])[];

/** Totals per subject, boundary and metric; a missing element is zero. */
function totalsOf({ view, metrics }: Facts, boundaryCount: number, { closed, open }: Row): Map<string, number[][]> {
  const positions = new Map(metrics.map((metric, position) => [metric, position]));
  const totals = new Map<string, number[][]>();
  const totalsOfSubject = (subject: string): number[][] => {
    const of = totals.get(subject) ?? zeros(boundaryCount);
    totals.set(subject, of);
    return of;
  };
  for (const [subject, boundary, counts] of closed) {
    totalsOfSubject(subject)[boundary - 1] = JSON.parse(`[${counts.slice(1, -1)}]`);
  }
  for (const [subject, first, last, metric, amount] of open) {
    const position = positions.get(metric);
    if (position === undefined) throw new Error(`${view} has a metric that is not in the list: ${metric}`);
    for (const counts of totalsOfSubject(subject).slice(first - 1, last)) {
      counts[position] = (counts[position] ?? 0) + amount;
    }
  }
  return totals;
}

const zeros = (boundaries: number): number[][] => Array.from({ length: boundaries }, () => []);

/** A report has thousands of numbers. A copy of an object that has all members is faster to fill than a new one. */
function difference<Metric extends string>(
  empty: Counts<Metric>,
  before: readonly number[] = [],
  after: readonly number[] = [],
): Counts<Metric> {
  const counts: Record<Metric, number> = { ...empty };
  let position = 0;
  for (const metric in empty) {
    counts[metric] = (after[position] ?? 0) - (before[position] ?? 0);
    position += 1;
  }
  return counts;
}
