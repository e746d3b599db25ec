import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { WaitingRows } from '@mostrador/kit/step/waiting';
import type { TurnRow } from './turn.ts';

/** An open turn, with what says why it waits. */
export type WaitingTurnRow = Pick<TurnRow, 'id' | 'lead_id' | 'attempts' | 'error_code' | 'lease_until'> & {
  readonly next_attempt_at: Date;
  readonly since: Date;
  /** The time of the database clock. */
  readonly now: Date;
};

const columns = (sql: Sql) => sql`
  id, lead_id, attempts, error_code, lease_until, next_attempt_at, first_received_at as since, clock_timestamp() as now`;

export const findWaitingTurns = (sql: Sql, storeId: string, { after, before, ids, limit }: WaitingRows) =>
  sql<WaitingTurnRow[]>`
    select ${columns(sql)} from ai_turns
    where store_id = ${storeId} and state = 'open'
      ${after ? sql`and (first_received_at, id) > (${after.since}, ${after.id})` : sql``}
      ${before ? sql`and first_received_at < ${before}` : sql``}
      ${ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``}
    order by first_received_at, id
    limit ${limit}`;

/** Stores with an open turn. */
export const findTurnStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select distinct store_id from ai_turns where state = 'open' and store_id > ${after} order by store_id limit ${limit}`;

/** Locks an open turn, as the claim of a step does. */
export async function lockWaitingTurn(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<WaitingTurnRow | undefined> {
  const locked = await sql`
    select from ai_turns where store_id = ${storeId} and id = ${id} and state = 'open' for no key update`;
  if (locked.length === 0) return undefined;
  const [row] = await sql<WaitingTurnRow[]>`
    select ${columns(sql)} from ai_turns where store_id = ${storeId} and id = ${id}`;
  return row;
}

/** Makes the next attempt of a locked turn due now. Models that have failed may be asked again. */
export async function saveTurnRetry(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update ai_turns
    set next_attempt_at = ${dueNow(sql)}, started_at = coalesce(started_at, clock_timestamp()), attempts = 0,
        error_code = null, model_failures = '{}', updated_at = clock_timestamp()
    where store_id = ${storeId} and id = ${id}`;
}
