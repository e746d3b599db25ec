import { replyStepLimits } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** A call to a model that is about to be made. */
export type NewCall = {
  readonly id: string;
  /** Undefined: it is for no turn. */
  readonly turnId?: string;
  readonly agentId: string;
  readonly model: string;
} & Use;

/** What a call costs, or may cost at most, in money and in tokens. */
export type Use = { readonly micros: number; readonly tokens: number };

/** An attempt has lost its lease long before. */
const expiresAfterMs = 3 * replyStepLimits.leaseMs;

/** Keeps a call until its use is counted. `from` has one row, or none when it is not made. */
export const openCall = (sql: Sql, storeId: string, call: NewCall, from: ReturnType<Sql>) => sql`
  insert into model_calls (store_id, id, turn_id, agent_id, model, cost_micros, tokens, expires_at)
  select ${storeId}::uuid, ${call.id}::uuid, ${call.turnId ?? null}::uuid, ${call.agentId}::uuid, ${call.model},
    ${call.micros}::bigint, ${call.tokens}::int, clock_timestamp() + ${expiresAfterMs} * interval '1 millisecond' from ${from}`;

/** Whether the use of a call is still to be counted. From now on it is not. */
export async function closeCall(sql: TransactionSql, storeId: string, id: string): Promise<boolean> {
  const closed = await sql`delete from model_calls where store_id = ${storeId} and id = ${id} returning 1`;
  return closed.length > 0;
}

export type DiedCall = {
  readonly turn_id: string | null;
  readonly agent_id: string;
  readonly model: string;
  readonly cost_micros: number;
};

/** Takes the calls of a store whose processes have died. */
export const takeDiedCalls = (sql: TransactionSql, storeId: string) => sql<DiedCall[]>`
  delete from model_calls where store_id = ${storeId} and expires_at <= clock_timestamp()
  returning turn_id, agent_id, model, cost_micros`;

/** Stores with such calls. For the system role. */
export const findStoresOfDiedCalls = (systemSql: Sql, limit: number) => systemSql<{ store_id: string }[]>`
  select distinct store_id from model_calls where expires_at <= clock_timestamp() limit ${limit}`;
