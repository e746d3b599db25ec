import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Attempt } from '@mostrador/kit/step/retry-engine';

/** What the calls of a day may be and cost. `mostMicros` null: there is no limit. */
export type DayLimits = { readonly mostCalls: number; readonly mostMicros: number | null };

/** What a call has taken of its day before it was made. */
export type Reservation = { readonly day: string; readonly micros: number };

const today = (sql: Sql) => sql`(clock_timestamp() at time zone 'UTC')::date`;

type Taking = DayLimits & { readonly calls: 0 | 1; readonly micros: number };

/** Takes what a call may cost from today, if `from` has a row. Returns a row with the day if enough is left. */
const taking = (sql: Sql, storeId: string, { calls, micros, mostCalls, mostMicros }: Taking, from = sql``) => sql`
  insert into model_days as today (store_id, day, calls, cost_micros)
  select ${storeId}::uuid, ${today(sql)}, ${calls}::int, ${micros}::bigint ${from}
  where ${calls}::int <= ${mostCalls}::int and ${micros}::bigint <= coalesce(${mostMicros}::bigint, ${micros}::bigint)
  on conflict (store_id, day) do update
  set calls = today.calls + ${calls}::int, cost_micros = today.cost_micros + ${micros}::bigint
  where (${calls}::int = 0 or today.calls + ${calls}::int <= ${mostCalls}::int)
    and (${mostMicros}::bigint is null or today.cost_micros + ${micros}::bigint <= ${mostMicros}::bigint)
  returning day::text`;

/** Takes a call of today, and what it may cost. Undefined: too little is left. */
export async function reserveCall(
  sql: TransactionSql,
  storeId: string,
  limits: DayLimits,
  micros: number,
): Promise<Reservation | undefined> {
  const [row] = await taking(sql, storeId, { ...limits, calls: 1, micros });
  return row && { day: row.day, micros };
}

/** The same for a call to an embedder, which is none of the calls of the day. */
export async function reserveMoney(
  sql: Sql,
  storeId: string,
  mostMicros: DayLimits['mostMicros'],
  micros: number,
): Promise<Reservation | undefined> {
  const [row] = await taking(sql, storeId, { mostCalls: 0, mostMicros, calls: 0, micros });
  return row && { day: row.day, micros };
}

/** The same for an attempt of a turn. `holdsLease` false: it has lost its lease, and nothing is taken. `day` null: too little is left. */
export const reserveCallOf = (sql: Sql, { storeId, id, leaseToken }: Attempt, limits: DayLimits, micros: number) =>
  sql<[{ holdsLease: boolean; day: string | null }]>`
    with held as (
      select from ai_turns where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}
    ), reserved as (${taking(sql, storeId, { ...limits, calls: 1, micros }, sql`from held`)})
    select exists (select from held) as "holdsLease", (select day from reserved)`;

/** Puts what a call has cost in the place of what it had taken. */
export const settleCost = (sql: Sql, storeId: string, { day, micros }: Reservation, cost: number) => sql`
  update model_days set cost_micros = cost_micros + ${cost - micros}::bigint
  where store_id = ${storeId} and day = ${day}::date`;

/** Keeps since when the budget of today is used up. */
export const markReached = (sql: TransactionSql, storeId: string) => sql`
  insert into model_days as today (store_id, day, calls, reached_at)
  values (${storeId}, ${today(sql)}, 0, clock_timestamp())
  on conflict (store_id, day) do update set reached_at = excluded.reached_at where today.reached_at is null`;

export const unmarkReached = (sql: TransactionSql, storeId: string) => sql`
  update model_days set reached_at = null
  where store_id = ${storeId} and day = ${today(sql)} and reached_at is not null`;

export type DayRow = {
  readonly day: string;
  readonly calls: number;
  readonly cost_micros: number;
  readonly reached_at: Date | null;
};

/** What today has had so far. */
export async function findToday(sql: Sql, storeId: string): Promise<DayRow> {
  const [row] = await sql<[DayRow]>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day, coalesce(calls, 0) as calls,
      coalesce(cost_micros, 0) as cost_micros, reached_at
    from (select) one left join model_days on store_id = ${storeId} and day = (now() at time zone 'UTC')::date`;
  return row;
}

/** How many stores have used up the budget of today. For the system role. */
export async function countReached(sql: Sql): Promise<number> {
  const [{ stores }] = await sql<[{ stores: number }]>`
    select count(*)::int as stores from model_days where day = ${today(sql)} and reached_at is not null`;
  return stores;
}
