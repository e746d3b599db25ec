import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Attempt } from '@mostrador/kit/step/retry-engine';
import { type NewCall, openCall } from './model-call.repository.ts';

/** What the calls of a day may be and cost. `mostMicros` null: there is no limit. */
export type DayLimits = { readonly mostCalls: number; readonly mostMicros: number | null };

/** What a call has taken of its day before it was made. */
export type Reservation = { readonly day: string; readonly micros: number };

/** What a call to a model has taken, with its id. `limits`: those of the day at that moment. */
export type CallReservation = Reservation & { readonly limits: DayLimits; readonly callId: string };

const today = (sql: Sql) => sql`(clock_timestamp() at time zone 'UTC')::date`;

type Taking = DayLimits & { readonly calls: 0 | 1; readonly micros: number };

/** Takes what a call may cost from today, if `from` has a row. Returns a row with the day if enough is left. */
const taking = (sql: Sql, storeId: string, { calls, micros, mostCalls, mostMicros }: Taking, from = sql``) => sql`
  insert into model_days as today (store_id, day, calls, cost_micros)
  select ${storeId}::uuid, ${today(sql)}, ${calls}::int, ${micros}::bigint ${from}
  where ${calls}::int <= ${mostCalls}::int and ${micros}::bigint <= coalesce(${mostMicros}::bigint, ${micros}::bigint)
  on conflict (store_id, day) do update
  set calls = today.calls + ${calls}::int, cost_micros = today.cost_micros + ${micros}::bigint,
    reached_at = case when ${calls}::int = 0 then today.reached_at end
  where (${calls}::int = 0 or today.calls + ${calls}::int <= ${mostCalls}::int)
    and (${mostMicros}::bigint is null or today.cost_micros + ${micros}::bigint <= ${mostMicros}::bigint)
  returning day::text`;

/** Takes a call of today, and what it may cost. Undefined: too little is left. */
export async function reserveCall(
  sql: TransactionSql,
  storeId: string,
  limits: DayLimits,
  call: NewCall,
): Promise<CallReservation | undefined> {
  const { id: callId, micros } = call;
  const [row] = await sql<{ day: string }[]>`
    with reserved as (${taking(sql, storeId, { ...limits, calls: 1, micros })}),
    opened as (${openCall(sql, storeId, call, sql`reserved`)})
    select day from reserved`;
  return row && { day: row.day, micros, limits, callId };
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
export const reserveCallOf = (sql: Sql, { storeId, id, leaseToken }: Attempt, limits: DayLimits, call: NewCall) =>
  sql<[{ holdsLease: boolean; day: string | null }]>`
    with held as (
      select from ai_turns where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}
    ), reserved as (${taking(sql, storeId, { ...limits, calls: 1, micros: call.micros }, sql`from held`)}),
    opened as (${openCall(sql, storeId, call, sql`reserved`)})
    select exists (select from held) as "holdsLease", (select day from reserved)`;

/** Puts what a call to an embedder has cost in the place of what it had taken. */
export const settleMoney = (sql: Sql, storeId: string, { day, micros }: Reservation, cost: number) => sql`
  update model_days set cost_micros = cost_micros + ${cost - micros}::bigint
  where store_id = ${storeId} and day = ${day}::date`;

/**
 * The same for a call to a model. With what comes back the budget is no longer used up, if another call like it fits.
 */
export const settleCall = (
  sql: Sql,
  storeId: string,
  { day, micros, limits: { mostCalls, mostMicros } }: CallReservation,
  cost: number,
) => sql`
  update model_days
  set cost_micros = cost_micros + ${cost - micros}::bigint,
    reached_at = case
      when calls >= ${mostCalls}::bigint or cost_micros + ${cost}::bigint > ${mostMicros}::bigint then reached_at end
  where store_id = ${storeId} and day = ${day}::date`;

/** Keeps since when the budget of today is used up. `isNew`: the store was not told yet, and is now. */
export async function markReached(sql: TransactionSql, storeId: string): Promise<DayRow & { readonly isNew: boolean }> {
  const [row] = await sql<[DayRow & { isNew: boolean }]>`
    insert into model_days as today (store_id, day, calls, reached_at, told_at)
    values (${storeId}, ${today(sql)}, 0, clock_timestamp(), clock_timestamp())
    on conflict (store_id, day) do update
    set reached_at = coalesce(today.reached_at, excluded.reached_at), told_at = coalesce(today.told_at, excluded.told_at)
    returning to_char(day, 'YYYY-MM-DD') as day, calls, cost_micros, new.reached_at, old.told_at is null as "isNew"`;
  return row;
}

/** For limits that were changed. */
export const unmarkReached = (sql: TransactionSql, storeId: string) => sql`
  update model_days set reached_at = null, told_at = null where store_id = ${storeId} and day = ${today(sql)}`;

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
