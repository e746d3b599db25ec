import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Attempt } from '@mostrador/kit/step/retry-engine';
import { type NewCall, openCall, type Use } from './model-call.repository.ts';

/** What the calls of a day may be, cost, and read and write. Null: there is no limit. */
export type DayLimits = {
  readonly mostCalls: number;
  readonly mostMicros: number | null;
  readonly mostTokens: number | null;
};

/** From how many calls and tokens, and from which cost, 80 percent of a limit is used up. Null: there is no limit. */
export type NearLimits = {
  readonly calls: number;
  readonly micros: number | null;
  readonly tokens: number | null;
};

/** What a call has taken of its day before it was made. */
export type Reservation = { readonly day: string; readonly micros: number };

/** What a call to a model has taken, with its id. `limits`: those of the day at that moment. */
export type CallReservation = Reservation & Use & { readonly limits: DayLimits; readonly callId: string };

const today = (sql: Sql) => sql`(clock_timestamp() at time zone 'UTC')::date`;

/**
 * SQL expression: whether the calls, the cost or the tokens of a day may have reached 80 percent of a limit, and the store was not told.
 * A change of the limits locks the row and writes from where on. So the answer of a statement that has updated the row
 * holds until its transaction ends.
 */
const mayReach = (sql: Sql) => sql`
  (told_percent < 80 and (near_calls is null or calls >= near_calls or coalesce(cost_micros >= near_micros, false)
    or coalesce(tokens >= near_tokens, false)))`;

/** The same for a statement that may update an earlier day. */
const mayReachToday = (sql: Sql) => sql`(${mayReach(sql)} or day <> ${today(sql)}) as "mayReach"`;

type Taking = DayLimits & Use & { readonly calls: 0 | 1 };

/** Takes what a call may cost from today, if `from` has a row. Returns a row if enough is left. */
const taking = (
  sql: Sql,
  storeId: string,
  { calls, micros, tokens, mostCalls, mostMicros, mostTokens }: Taking,
  from = sql``,
) => sql`
  insert into model_days as today (store_id, day, calls, cost_micros, tokens)
  select ${storeId}::uuid, ${today(sql)}, ${calls}::int, ${micros}::bigint, ${tokens}::bigint ${from}
  where ${calls}::int <= ${mostCalls}::int and ${micros}::bigint <= coalesce(${mostMicros}::bigint, ${micros}::bigint)
    and ${tokens}::bigint <= coalesce(${mostTokens}::bigint, ${tokens}::bigint)
  on conflict (store_id, day) do update
  set calls = today.calls + ${calls}::int, cost_micros = today.cost_micros + ${micros}::bigint,
    tokens = today.tokens + ${tokens}::bigint,
    reached_at = case when ${calls}::int = 0 then today.reached_at end
  where (${calls}::int = 0 or today.calls + ${calls}::int <= ${mostCalls}::int)
    and (${mostMicros}::bigint is null or today.cost_micros + ${micros}::bigint <= ${mostMicros}::bigint)
    and (${mostTokens}::bigint is null or today.tokens + ${tokens}::bigint <= ${mostTokens}::bigint)
  returning day::text, ${mayReach(sql)} as "mayReach"`;

/** Whether a limit may be reached now that the store was not told of: then `reachBudget` looks. */
type MayReach = { readonly mayReach: boolean };

/** Takes a call of today, and what it may cost. Undefined: too little is left. */
export async function reserveCall(
  sql: TransactionSql,
  storeId: string,
  limits: DayLimits,
  call: NewCall,
): Promise<(CallReservation & MayReach) | undefined> {
  const { id: callId, micros, tokens } = call;
  const [row] = await sql<({ day: string } & MayReach)[]>`
    with reserved as (${taking(sql, storeId, { ...limits, calls: 1, micros, tokens })}),
    opened as (${openCall(sql, storeId, call, sql`reserved`)})
    select day, "mayReach" from reserved`;
  return row && { ...row, micros, tokens, limits, callId };
}

/** The same for a call to an embedder, whose calls and tokens are none of those of the day. */
export async function reserveMoney(
  sql: Sql,
  storeId: string,
  mostMicros: DayLimits['mostMicros'],
  micros: number,
): Promise<Reservation | undefined> {
  const [row] = await taking(sql, storeId, {
    ...{ mostCalls: 0, mostMicros, mostTokens: null },
    ...{ calls: 0, micros, tokens: 0 },
  });
  return row && { day: row.day, micros };
}

/** The same for an attempt of a turn. `holdsLease` false: it has lost its lease, and nothing is taken. `day` null: too little is left. */
export const reserveCallOf = (sql: Sql, { storeId, id, leaseToken }: Attempt, limits: DayLimits, call: NewCall) =>
  sql<[{ holdsLease: boolean; day: string | null } & MayReach]>`
    with held as (
      select from ai_turns where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}
    ), reserved as (${taking(sql, storeId, { ...limits, calls: 1, micros: call.micros, tokens: call.tokens }, sql`from held`)}),
    opened as (${openCall(sql, storeId, call, sql`reserved`)})
    select exists (select from held) as "holdsLease", (select day from reserved),
      exists (select from reserved where "mayReach") as "mayReach"`;

/** The query that puts what a call to an embedder has cost in the place of what it had taken. */
export const settleMoney = (sql: Sql, storeId: string, { day, micros }: Reservation, cost: number) => sql<MayReach[]>`
  update model_days set cost_micros = cost_micros + ${cost - micros}::bigint
  where store_id = ${storeId} and day = ${day}::date
  returning ${mayReachToday(sql)}`;

/**
 * The same for a call to a model, also with its tokens. With what comes back the budget is no longer used up, if another call like it fits.
 */
export const settleCall = (
  sql: Sql,
  storeId: string,
  { day, micros, tokens, limits: { mostCalls, mostMicros, mostTokens } }: CallReservation,
  used: Use,
) => sql<MayReach[]>`
  update model_days
  set cost_micros = cost_micros + ${used.micros - micros}::bigint, tokens = tokens + ${used.tokens - tokens}::bigint,
    reached_at = case
      when calls >= ${mostCalls}::bigint or cost_micros + ${used.micros}::bigint > ${mostMicros}::bigint
        or tokens + ${used.tokens}::bigint > ${mostTokens}::bigint then reached_at end
  where store_id = ${storeId} and day = ${day}::date
  returning ${mayReachToday(sql)}`;

/**
 * Locks today and reads what it has had. A change of the limits locks it, too, so those that are read now hold until
 * the transaction ends.
 */
export async function lockToday(sql: TransactionSql, storeId: string): Promise<LockedDay> {
  // The same at midnight, for both.
  const day = sql`(now() at time zone 'UTC')::date`;
  // Sent together. The second sees what was committed before the row was locked.
  const [, [row]] = await Promise.all([
    sql`
      insert into model_days as today (store_id, day, calls) values (${storeId}, ${day}, 0)
      on conflict (store_id, day) do update set calls = today.calls`,
    sql<[LockedDay]>`
      select to_char(day, 'YYYY-MM-DD') as day, calls, cost_micros, tokens, reached_at,
        told_percent, near_calls, near_micros, near_tokens,
        cost_micros - run_micros as settled_micros, tokens - run_tokens as settled_tokens
      from model_days, (
        select coalesce(sum(cost_micros), 0)::bigint as run_micros,
          coalesce(sum(tokens), 0)::bigint as run_tokens
        from model_calls where store_id = ${storeId}
      ) running
      where store_id = ${storeId} and model_days.day = ${day}`,
  ]);
  return row;
}

type Looked = {
  readonly day: string;
  readonly told: number;
  /** Since when calls are refused. Null: they are not. */
  readonly reached: 'now' | Date | null;
  readonly near: NearLimits;
};

/** Keeps what the store was told of a day, and from where on a call has to look again. */
export const recordLook = (sql: TransactionSql, storeId: string, { day, told, reached, near }: Looked) => sql`
  update model_days
  set told_percent = ${told}, reached_at = ${reached === 'now' ? sql`clock_timestamp()` : reached},
    near_calls = ${near.calls}, near_micros = ${near.micros}, near_tokens = ${near.tokens}
  where store_id = ${storeId} and day = ${day}::date`;

export type DayRow = {
  readonly day: string;
  readonly calls: number;
  readonly cost_micros: number;
  readonly tokens: number;
  readonly reached_at: Date | null;
};

export type LockedDay = DayRow & {
  /** The greatest share that an event has told of: 0, 80 or 100. */
  readonly told_percent: number;
  readonly near_calls: number | null;
  readonly near_micros: number | null;
  readonly near_tokens: number | null;
  /** `cost_micros` and `tokens` without the calls that run. */
  readonly settled_micros: number;
  readonly settled_tokens: number;
};

/** What today has had so far. */
export async function findToday(sql: Sql, storeId: string): Promise<DayRow> {
  const [row] = await sql<[DayRow]>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day, coalesce(calls, 0) as calls,
      coalesce(cost_micros, 0) as cost_micros, coalesce(tokens, 0) as tokens, reached_at
    from (select) one left join model_days on store_id = ${storeId} and day = (now() at time zone 'UTC')::date`;
  return row;
}

/** How many stores have used up the budget of today. For the system role. */
export async function countReached(sql: Sql): Promise<number> {
  const [{ stores }] = await sql<[{ stores: number }]>`
    select count(*)::int as stores from model_days where day = ${today(sql)} and reached_at is not null`;
  return stores;
}
