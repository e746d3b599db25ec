import type { Sql, SystemDatabase, TransactionSql } from '../database/database.ts';
import type { BlockedReason } from './circuit.ts';
import type { OriginState } from './origin-state.ts';

/** A state, and the database's clock when it was read. */
export type Read = { readonly state: OriginState | null; readonly nowMs: number };

/** A call waits for these statements, and its lease has this time to spare. */
const statementLimitMs = 1_000;
const scope = () => ({ deadline: Date.now() + statementLimitMs });

const ms = (sql: Sql, moment: ReturnType<Sql>) => sql`(extract(epoch from ${moment}) * 1000)::float8`;
const columns = (sql: Sql) => sql`
  failures, ${ms(sql, sql`open_until`)} as "openUntilMs", ${ms(sql, sql`probe_until`)} as "probeUntilMs",
  ${ms(sql, sql`since`)} as "sinceMs"`;
const clock = (sql: Sql) => sql`${ms(sql, sql`clock_timestamp()`)} as "nowMs"`;
const moment = (sql: Sql, epochMs: number | null) => sql`to_timestamp(${epochMs}::float8 / 1000)`;

/** The rows of `provider_circuits`. Each call is one transaction of its own. */
export function circuitRepository(database: SystemDatabase) {
  return {
    read: (origin: string): Promise<Read> =>
      database.read(scope(), async (sql) => {
        const [row] = await sql<(OriginState & { nowMs: number })[]>`
          select ${columns(sql)}, now."nowMs"
          from (select ${clock(sql)}) as now left join provider_circuits on origin = ${origin}`;
        const { nowMs, ...state } = row as OriginState & { nowMs: number };
        return { state: state.failures === null ? null : state, nowMs };
      }),

    /** Changes the row under its lock. Creates it when there is none. */
    change: (origin: string, change: (state: OriginState, nowMs: number) => OriginState): Promise<Read> =>
      database.write(scope(), async (sql) => {
        const [row] = await sql<(OriginState & { nowMs: number })[]>`
          insert into provider_circuits (origin, failures) values (${origin}, 0)
          on conflict (origin) do update set updated_at = clock_timestamp()
          returning ${columns(sql)}, ${clock(sql)}`;
        const { nowMs, ...before } = row as OriginState & { nowMs: number };
        const state = change(before, nowMs);
        await sql`
          update provider_circuits
          set failures = ${state.failures}, open_until = ${moment(sql, state.openUntilMs)},
              probe_until = ${moment(sql, state.probeUntilMs)}, since = ${moment(sql, state.sinceMs)}
          where origin = ${origin}`;
        return { state, nowMs };
      }),

    /** Claims the probe of an open circuit that is due. One process gets it until `leaseMs` have passed. */
    claimProbe: (origin: string, leaseMs: number): Promise<boolean> =>
      database.write(scope(), async (sql) => {
        const claimed = await sql`
          update provider_circuits
          set probe_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond', updated_at = clock_timestamp()
          where origin = ${origin} and open_until <= clock_timestamp()
            and (probe_until is null or probe_until <= clock_timestamp())
          returning origin`;
        return claimed.length > 0;
      }),

    /** Returns a probe that was not made. */
    releaseProbe: async (origin: string): Promise<void> => {
      await database.write(
        scope(),
        (sql) => sql`update provider_circuits set probe_until = null where origin = ${origin}`,
      );
    },

    /** The provider has answered. Returns whether its circuit was open; one that is open stays so unless `evenOpen`. */
    remove: (origin: string, { evenOpen }: { readonly evenOpen: boolean }): Promise<boolean> =>
      database.write(scope(), async (sql) => {
        const removed = await sql<{ wasOpen: boolean }[]>`
          delete from provider_circuits where origin = ${origin} and (${evenOpen} or open_until is null)
          returning open_until is not null as "wasOpen"`;
        return removed[0]?.wasOpen ?? false;
      }),

    /** The origins with an open circuit, at most `limit`. */
    listOpen: async (limit: number): Promise<string[]> => {
      const rows = await database.read(
        scope(),
        (sql) => sql<{ origin: string }[]>`
          select origin from provider_circuits where open_until is not null order by since limit ${limit}`,
      );
      return rows.map(({ origin }) => origin);
    },
  };
}

/** Since when the circuit of an origin is open; undefined: it is closed. For the role of the requests. */
export async function findOutage(sql: Sql, origin: string | null): Promise<Date | undefined> {
  if (origin === null) return undefined;
  const [row] = await sql<{ since: Date }[]>`
    select since from provider_circuits where origin = ${origin} and open_until is not null`;
  return row?.since;
}

/**
 * Assignments of an update: why a row's provider is not called; without a reason the row does not wait for it. The row
 * keeps since when, as long as the reason is the same.
 */
export const setWait = (sql: TransactionSql, reason: BlockedReason | null = null) => sql`
  wait_reason = ${reason},
  wait_since = case when ${reason}::text is not null then
    case when wait_reason = ${reason} then wait_since else clock_timestamp() end end`;

/** Deletes the rows of origins that no process has called for `olderThanMs`. */
export async function purgeCircuits(sql: TransactionSql, { olderThanMs }: { olderThanMs: number }): Promise<void> {
  await sql`delete from provider_circuits where updated_at < now() - ${olderThanMs} * interval '1 millisecond'`;
}
