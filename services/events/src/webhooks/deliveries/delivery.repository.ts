import type { DeliveryStatus } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { AttemptRow, DeliveryRow } from './delivery.ts';

type Ids = { readonly endpointId: string; readonly deliveryId: string };
type Filter = { readonly endpointId: string; readonly status?: DeliveryStatus };

/** The most attempts of a delivery that are shown. */
const mostShown = 100;

const matches = (sql: Sql, storeId: string, { endpointId, status }: Filter) =>
  sql`store_id = ${storeId} and endpoint_id = ${endpointId} ${status ? sql`and status = ${status}` : sql``}`;

export async function countDeliveries(sql: Sql, storeId: string, filter: Filter): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from webhook_deliveries where ${matches(sql, storeId, filter)}`;
  return row?.total ?? 0;
}

/** A page, the newest first. */
export async function listDeliveries(
  sql: Sql,
  storeId: string,
  filter: Filter,
  { start, limit }: { start: TimePageStart; limit: number },
): Promise<DeliveryRow[]> {
  return await sql<DeliveryRow[]>`
    select * from webhook_deliveries
    where ${matches(sql, storeId, filter)}
      ${'after' in start ? sql`and (created_at, id) < (${start.after.at}, ${start.after.id})` : sql``}
    order by created_at desc, id desc
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

export async function findDelivery(
  sql: Sql,
  storeId: string,
  { endpointId, deliveryId }: Ids,
): Promise<DeliveryRow | undefined> {
  const [row] = await sql<DeliveryRow[]>`
    select * from webhook_deliveries
    where store_id = ${storeId} and endpoint_id = ${endpointId} and id = ${deliveryId}`;
  return row;
}

/** The attempts of a delivery, the newest first. */
export const listAttempts = (sql: Sql, storeId: string, deliveryId: string) => sql<AttemptRow[]>`
  select number, started_at, duration_ms, response_status, response_body, error from webhook_attempts
  where store_id = ${storeId} and delivery_id = ${deliveryId} order by number desc limit ${mostShown}`;

const anotherRound = (sql: TransactionSql) => sql`
  status = 'pending', next_attempt_at = statement_timestamp(), step = 0, first_failed_at = null, error = null,
  completed_at = null`;

/** Begins another round of a delivery of a locked endpoint, due at once. */
export async function reopenDelivery(sql: TransactionSql, storeId: string, id: string): Promise<DeliveryRow> {
  const [row] = await sql<DeliveryRow[]>`
    update webhook_deliveries set ${anotherRound(sql)}
    where store_id = ${storeId} and id = ${id}
    returning *`;
  return row as DeliveryRow;
}

/** The error of a delivery that a person gave up. */
export const givenUp = 'given_up';

/**
 * Begins another round of what was given up at a locked endpoint since this moment, due at once. Tests, and what a person
 * gave up, stay as they are.
 */
export async function reopenGivenUp(
  sql: TransactionSql,
  { store_id, id }: { store_id: string; id: string },
  since: Date,
): Promise<void> {
  await sql`
    update webhook_deliveries set ${anotherRound(sql)}
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'failed' and completed_at >= ${since}
      and sequence is not null and error is distinct from ${givenUp}`;
}

/**
 * For how many seconds a store must wait before it makes another test: it makes `most` in a number of seconds. 0: not at
 * all. Serializes the tests of a store until the transaction ends.
 */
export async function findTestQuota(
  sql: TransactionSql,
  storeId: string,
  { most, seconds }: { most: number; seconds: number },
): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook tests ${storeId}`}, 0))`;
  const [earliest] = await sql<{ wait: number }[]>`
    select ceil(extract(epoch from created_at + ${seconds} * interval '1 second' - clock_timestamp()))::int as wait
    from webhook_deliveries
    where store_id = ${storeId} and sequence is null
      and created_at > clock_timestamp() - ${seconds} * interval '1 second'
    order by created_at desc offset ${most - 1} limit 1`;
  return earliest ? Math.max(1, earliest.wait) : 0;
}

/** Makes a delivery whose event is a test, due at once. */
export async function insertTest(sql: TransactionSql, storeId: string, endpointId: string, type: string) {
  const [row] = await sql<DeliveryRow[]>`
    insert into webhook_deliveries (store_id, endpoint_id, event_id, event_type, entity_id, occurred_at)
    values (${storeId}, ${endpointId}, uuidv7(), ${type}, ${endpointId}, clock_timestamp())
    returning *`;
  return row as DeliveryRow;
}

/** Cancels the open deliveries of a locked endpoint for events before this one. Those that run end as they end. */
export async function cancelBefore(
  sql: TransactionSql,
  { store_id, id }: { store_id: string; id: string },
  sequence: number,
): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'cancelled', error = 'cancelled', next_attempt_at = null, completed_at = clock_timestamp()
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and lease_token is null
      and sequence < ${sequence}`;
}

/** Makes everything open of a locked endpoint due at once, as if nothing had failed yet. */
export async function dueAtOnce(
  sql: TransactionSql,
  { store_id, id }: { store_id: string; id: string },
): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = statement_timestamp(), step = 0, first_failed_at = null
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and lease_token is null
      and first_failed_at is not null`;
}
