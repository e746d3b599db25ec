import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Attempt, RowKey } from '@mostrador/kit/step/retry-engine';
import { findNumbered } from '../../feed/event.repository.ts';
import type { EventRow } from '../../feed/event.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import {
  type Delivery,
  type DeliveryFailure,
  type Load,
  longestHoldMs,
  type Outcome,
  type Queue,
} from './next-move.ts';

/** A running attempt of a delivery. */
export type DeliveryAttempt = Attempt & { readonly endpointId: string };

/** When an attempt began, and how long it took. */
export type Timing = { readonly startedAt: Date; readonly durationMs: number };

/** A claimed delivery with its event, which is null for a test, and when retention has removed it. */
export type ClaimedRow = {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number | null;
  readonly occurred_at: Date;
  readonly attempts: number;
  readonly lease_token: string;
  readonly event: EventRow | null;
};

type Named = Pick<EndpointRow, 'store_id' | 'id'>;

/** How many deliveries of a locked endpoint run, and PostgreSQL's time. */
export async function findLoad(sql: TransactionSql, { store_id, id }: Named): Promise<Load> {
  const [row] = await sql<[Load]>`
    select statement_timestamp() as now, count(*)::int as in_flight, min(lease_until) as in_flight_until
    from webhook_deliveries
    where store_id = ${store_id} and endpoint_id = ${id} and lease_token is not null
      and lease_until > statement_timestamp()`;
  return row;
}

/**
 * That delivery `d` waits for no earlier one of its entity. One that fails holds the later ones for an hour at most,
 * unless the endpoint answers to nothing: then it is not the event's fault.
 */
const andNotHeld = (sql: TransactionSql, { ordering, last_success_at }: EndpointRow) =>
  ordering === 'none'
    ? sql``
    : sql`and not exists (
        select from webhook_deliveries o
        where o.store_id = d.store_id and o.endpoint_id = d.endpoint_id and o.entity_id = d.entity_id
          and o.status = 'pending' and o.sequence < d.sequence
          and (o.lease_token is not null or o.first_failed_at is null
               or o.first_failed_at > statement_timestamp() - ${longestHoldMs} * interval '1 millisecond'
               or not (o.answered or coalesce(${last_success_at}::timestamptz > o.first_failed_at, false))))`;

/** Claims up to `limit` due deliveries of a locked endpoint, those first that are due for longest. */
export async function claim(
  sql: TransactionSql,
  endpoint: EndpointRow,
  leaseMs: number,
  limit: number,
): Promise<ClaimedRow[]> {
  const { store_id, id } = endpoint;
  const rows = await sql<Omit<ClaimedRow, 'event'>[]>`
    with due as materialized (
      select d.id from webhook_deliveries d
      where d.store_id = ${store_id} and d.endpoint_id = ${id} and d.status = 'pending'
        and d.next_attempt_at <= statement_timestamp() ${andNotHeld(sql, endpoint)}
      order by d.next_attempt_at, d.sequence limit ${limit})
    update webhook_deliveries d
    set attempts = attempts + 1, lease_token = gen_random_uuid(),
        lease_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
        next_attempt_at = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
    from due where d.store_id = ${store_id} and d.id = due.id
    returning d.id, event_id, event_type, sequence, occurred_at, attempts, lease_token`;
  const ofFeed = rows.filter(({ sequence }) => sequence !== null);
  const events = await findNumbered(sql, store_id, ofFeed as { sequence: number; occurred_at: Date }[]);
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  return rows
    .map((row) => ({ ...row, event: (row.sequence !== null && bySequence.get(row.sequence)) || null }))
    .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
}

/** What waits for a locked endpoint. */
export async function findQueue(sql: TransactionSql, endpoint: EndpointRow): Promise<Queue> {
  const { store_id, id, ordering } = endpoint;
  const [row] = await sql<[Queue]>`
    select count(*)::int as in_flight, min(lease_until) as in_flight_until,
      (select d.next_attempt_at from webhook_deliveries d
       where d.store_id = ${store_id} and d.endpoint_id = ${id} and d.status = 'pending' ${andNotHeld(sql, endpoint)}
       order by d.next_attempt_at limit 1) as next_at,
      ${
        ordering === 'none'
          ? sql`null`
          : sql`(
              select first_failed_at + ${longestHoldMs} * interval '1 millisecond' from webhook_deliveries
              where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending'
                and first_failed_at > statement_timestamp() - ${longestHoldMs} * interval '1 millisecond'
              order by first_failed_at limit 1)`
      } as held_until
    from webhook_deliveries
    where store_id = ${store_id} and endpoint_id = ${id} and lease_token is not null
      and lease_until > statement_timestamp()`;
  return row;
}

/** Whether a locked endpoint has deliveries that failed and are tried again. */
export async function hasRetries(sql: TransactionSql, { store_id, id }: Named): Promise<boolean> {
  const rows = await sql`
    select 1 from webhook_deliveries
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and first_failed_at is not null
    limit 1`;
  return rows.length > 0;
}

/** The delivery of a running attempt of a locked endpoint. Undefined when the attempt has lost its lease. */
export async function findRunning(
  sql: TransactionSql,
  { storeId, id, leaseToken }: Attempt,
): Promise<(Delivery & { now: Date }) | undefined> {
  const [row] = await sql<(Delivery & { now: Date })[]>`
    select id, sequence is null as is_test, step, first_failed_at, statement_timestamp() as now from webhook_deliveries
    where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}`;
  return row;
}

const insertAttempt = (
  sql: TransactionSql,
  { storeId, endpointId, id, number }: DeliveryAttempt,
  outcome: Outcome,
  { startedAt, durationMs }: Timing,
) => sql`
  insert into webhook_attempts (store_id, delivery_id, number, endpoint_id, started_at, duration_ms, response_status,
                                response_body, error)
  select ${storeId}::uuid, ${id}::uuid, ${number}::int, ${endpointId}::uuid, ${startedAt}::timestamptz,
         ${Math.round(durationMs)}::int, ${outcome.status}::int, ${outcome.body}::text,
         ${outcome.kind === 'failed' ? outcome.error : null}::text`;

const over = (sql: TransactionSql) => sql`lease_token = null, lease_until = null`;

/** Ends a delivery with success. Returns PostgreSQL's time, or undefined when the attempt has lost its lease. */
export async function recordDelivered(
  sql: TransactionSql,
  attempt: DeliveryAttempt,
  outcome: Outcome,
  timing: Timing,
): Promise<Date | undefined> {
  const { storeId, id, leaseToken } = attempt;
  const [row] = await sql<{ now: Date }[]>`
    with delivered as (
      update webhook_deliveries
      set status = 'succeeded', error = null, next_attempt_at = null, completed_at = clock_timestamp(), ${over(sql)}
      where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}
      returning statement_timestamp() as now
    ), logged as (${insertAttempt(sql, attempt, outcome, timing)} where exists (select from delivered))
    select now from delivered`;
  return row?.now;
}

/** Writes an attempt into the log. */
export async function logAttempt(
  sql: TransactionSql,
  attempt: DeliveryAttempt,
  outcome: Outcome,
  timing: Timing,
): Promise<void> {
  await sql`${insertAttempt(sql, attempt, outcome, timing)} on conflict do nothing`;
}

/** Ends a delivery without success. */
export async function recordGivenUp(sql: TransactionSql, { storeId, id }: RowKey, error: string): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'failed', error = ${error}, next_attempt_at = null, completed_at = clock_timestamp(), ${over(sql)}
    where store_id = ${storeId} and id = ${id}`;
}

export async function recordRetry(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  { step, firstFailedAt, retryAt }: DeliveryFailure & { retryAt: Date },
  { error, answered, now }: { error: string; answered: boolean; now: Date },
): Promise<void> {
  await sql`
    update webhook_deliveries
    set step = ${step}, first_failed_at = ${firstFailedAt}, last_failed_at = ${now}, answered = ${answered},
        error = ${error}, next_attempt_at = ${retryAt}, ${over(sql)}
    where store_id = ${storeId} and id = ${id}`;
}

/** What failed since this moment is due at once, and holds its entity as if it had not failed. */
export async function releaseFailed(sql: TransactionSql, { store_id, id }: Named, since: Date): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = statement_timestamp(), first_failed_at = null
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and lease_token is null
      and last_failed_at >= ${since}`;
}
