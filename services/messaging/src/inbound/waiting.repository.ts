import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { WaitingRows } from '@mostrador/kit/step/waiting';

/** A payload that is not processed, or was given up, with what says why. */
export type WaitingPayloadRow = {
  readonly id: string;
  readonly attempts: number;
  readonly failed_at: Date | null;
  readonly last_error: string | null;
  readonly next_attempt_at: Date;
  readonly since: Date;
  /** The time of the database clock. */
  readonly now: Date;
};

const columns = (sql: Sql) => sql`
  id, attempts, failed_at, last_error, next_attempt_at, received_at as since, statement_timestamp() as now`;

export async function findWaitingPayloads(
  sql: Sql,
  storeId: string,
  { after, before, ids, limit }: WaitingRows,
): Promise<WaitingPayloadRow[]> {
  return await sql<WaitingPayloadRow[]>`
    select ${columns(sql)} from inbound_payloads
    where store_id = ${storeId} and (processed_at is null or failed_at is not null)
      ${after ? sql`and (received_at, id) > (${after.since}, ${after.id})` : sql``}
      ${before ? sql`and received_at < ${before}` : sql``}
      ${ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``}
    order by received_at, id
    limit ${limit}`;
}

/** Stores with such a payload. */
export const findPayloadStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select distinct store_id from inbound_payloads
    where (processed_at is null or failed_at is not null) and store_id > ${after} order by store_id limit ${limit}`;

export async function lockWaitingPayload(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<WaitingPayloadRow | undefined> {
  const [row] = await sql<WaitingPayloadRow[]>`
    select ${columns(sql)} from inbound_payloads
    where store_id = ${storeId} and id = ${id} and (processed_at is null or failed_at is not null)
    for no key update`;
  return row;
}

/** Makes the next attempt of a locked payload due now, with as many attempts as a new one has. */
export async function savePayloadRetry(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update inbound_payloads
    set processed_at = null, failed_at = null, last_error = null, attempts = 0, next_attempt_at = ${dueNow(sql)}
    where store_id = ${storeId} and id = ${id}`;
}

/** Counts a locked payload as processed. */
export async function savePayloadGivenUp(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update inbound_payloads
    set processed_at = coalesce(processed_at, clock_timestamp()), failed_at = null, last_error = 'given_up'
    where store_id = ${storeId} and id = ${id}`;
}
