import type { TransactionSql } from '@mostrador/kit/database/database';
import type { EventRow } from '../../feed/event.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { type Delivery, type DeliveryFailure, type EndpointFailure, longestHoldMs, type Outcome } from './next-move.ts';

/** A running attempt. It can record an outcome only while the delivery has its lease token. */
export type Attempt = {
  readonly storeId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly leaseToken: string;
  /** The number of this attempt. */
  readonly number: number;
};

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

type Load = { readonly now: Date; readonly inFlight: number; readonly inFlightUntil: Date | null };
type Named = Pick<EndpointRow, 'store_id' | 'id'>;

/** How many deliveries of a locked endpoint run, and PostgreSQL's time. */
export async function findLoad(sql: TransactionSql, { store_id, id }: Named): Promise<Load> {
  const [row] = await sql<{ now: Date; in_flight: number; until: Date | null }[]>`
    select statement_timestamp() as now, count(*)::int as in_flight, min(lease_until) as until from webhook_deliveries
    where store_id = ${store_id} and endpoint_id = ${id} and lease_token is not null
      and lease_until > statement_timestamp()`;
  const { now, in_flight, until } = row as NonNullable<typeof row>;
  return { now, inFlight: in_flight, inFlightUntil: until };
}

/**
 * Whether delivery `d` of endpoint `e` waits for an earlier one of its entity. One that fails holds the later ones for
 * an hour at most, unless the endpoint answers to nothing: then it is not the event's fault.
 */
const isHeld = (sql: TransactionSql) => sql`(
  e.ordering = 'entity' and exists (
    select from webhook_deliveries o
    where o.store_id = d.store_id and o.endpoint_id = d.endpoint_id and o.entity_id = d.entity_id
      and o.status = 'pending' and o.sequence < d.sequence
      and (o.lease_token is not null or o.first_failed_at is null
           or o.first_failed_at > statement_timestamp() - ${longestHoldMs} * interval '1 millisecond'
           or not (o.answered or coalesce(e.last_success_at > o.first_failed_at, false)))))`;

/** Claims up to `limit` due deliveries of a locked endpoint, those first that are due for longest. */
export async function claimDeliveries(
  sql: TransactionSql,
  { store_id, id }: Named,
  limit: number,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  const rows = await sql<Omit<ClaimedRow, 'event'>[]>`
    with due as materialized (
      select d.id from webhook_deliveries d join webhook_endpoints e on e.store_id = d.store_id and e.id = d.endpoint_id
      where d.store_id = ${store_id} and d.endpoint_id = ${id} and d.status = 'pending'
        and d.next_attempt_at <= statement_timestamp() and not ${isHeld(sql)}
      order by d.next_attempt_at, d.sequence limit ${limit})
    update webhook_deliveries d
    set attempts = attempts + 1, lease_token = gen_random_uuid(),
        lease_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond',
        next_attempt_at = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
    from due where d.store_id = ${store_id} and d.id = due.id
    returning d.id, event_id, event_type, sequence, occurred_at, attempts, lease_token`;
  const sequences = rows.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]));
  const events =
    sequences.length === 0
      ? []
      : await sql<EventRow[]>`
          select store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at from events
          where store_id = ${store_id} and sequence = any(${sequences}::bigint[])`;
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  return rows
    .map((row) => ({ ...row, event: (row.sequence !== null && bySequence.get(row.sequence)) || null }))
    .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
}

/**
 * Writes when somebody shall look at a locked endpoint again, after anything of it has changed. Null: when something else
 * changes.
 */
export async function saveDue(sql: TransactionSql, { store_id, id }: Named): Promise<Date | null> {
  const ofEndpoint = sql`d.store_id = ${store_id} and d.endpoint_id = ${id}`;
  const [row] = await sql<{ due_at: Date | null }[]>`
    update webhook_endpoints set due_at = (
      select case
          when e.status <> 'enabled' then null
          when running.count >= (case when e.failures > 0 then 1 else e.max_in_flight end)
            then greatest(running.until, e.blocked_until)
          when next.at is null then null
          else greatest(next.at, e.blocked_until)
        end
      from webhook_endpoints e,
        (select count(*) as count, min(lease_until) as until from webhook_deliveries d
         where ${ofEndpoint} and d.lease_token is not null and d.lease_until > statement_timestamp()) as running,
        lateral (select least(
          (select d.next_attempt_at from webhook_deliveries d
           where ${ofEndpoint} and d.status = 'pending' and not ${isHeld(sql)} order by d.next_attempt_at limit 1),
          -- the end of the earliest hold
          (select d.first_failed_at + ${longestHoldMs} * interval '1 millisecond' from webhook_deliveries d
           where ${ofEndpoint} and d.status = 'pending' and e.ordering = 'entity'
             and d.first_failed_at > statement_timestamp() - ${longestHoldMs} * interval '1 millisecond'
           order by d.first_failed_at limit 1)) as at) as next
      where e.store_id = ${store_id} and e.id = ${id})
    where store_id = ${store_id} and id = ${id}
    returning due_at`;
  return row?.due_at ?? null;
}

/** Whether a locked endpoint has deliveries that failed and are tried again. */
export async function hasRetries(sql: TransactionSql, { store_id, id }: Named): Promise<boolean> {
  const rows = await sql`
    select 1 from webhook_deliveries
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and first_failed_at is not null
    limit 1`;
  return rows.length > 0;
}

/** Locks the delivery of a running attempt. Undefined when the attempt has lost its lease. */
export async function findRunning(
  sql: TransactionSql,
  { storeId, deliveryId, leaseToken }: Attempt,
): Promise<(Delivery & { now: Date }) | undefined> {
  const [row] = await sql<(Delivery & { now: Date })[]>`
    select id, sequence is null as is_test, step, first_failed_at, statement_timestamp() as now from webhook_deliveries
    where store_id = ${storeId} and id = ${deliveryId} and lease_token = ${leaseToken}`;
  return row;
}

/** Writes an attempt into the log. */
export async function insertAttempt(
  sql: TransactionSql,
  { storeId, endpointId, deliveryId, number }: Attempt,
  outcome: Outcome,
  { startedAt, durationMs }: { startedAt: Date; durationMs: number },
): Promise<void> {
  const error = outcome.kind === 'failed' ? outcome.error : null;
  await sql`
    insert into webhook_attempts (store_id, delivery_id, number, endpoint_id, started_at, duration_ms, response_status,
                                  response_body, error)
    values (${storeId}, ${deliveryId}, ${number}, ${endpointId}, ${startedAt}, ${Math.round(durationMs)},
            ${outcome.status}, ${outcome.body}, ${error})
    on conflict do nothing`;
}

const over = (sql: TransactionSql) => sql`lease_token = null, lease_until = null`;

export async function recordDelivered(sql: TransactionSql, { storeId, deliveryId }: Attempt): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'succeeded', error = null, next_attempt_at = null, completed_at = clock_timestamp(), ${over(sql)}
    where store_id = ${storeId} and id = ${deliveryId}`;
}

/** Ends a delivery without success. */
export async function recordGivenUp(
  sql: TransactionSql,
  { storeId, deliveryId }: Pick<Attempt, 'storeId' | 'deliveryId'>,
  error: string,
): Promise<void> {
  await sql`
    update webhook_deliveries
    set status = 'failed', error = ${error}, next_attempt_at = null, completed_at = clock_timestamp(), ${over(sql)}
    where store_id = ${storeId} and id = ${deliveryId}`;
}

export async function recordRetry(
  sql: TransactionSql,
  { storeId, deliveryId }: Attempt,
  { step, firstFailedAt, retryAt }: DeliveryFailure & { retryAt: Date },
  { error, answered, now }: { error: string; answered: boolean; now: Date },
): Promise<void> {
  await sql`
    update webhook_deliveries
    set step = ${step}, first_failed_at = ${firstFailedAt}, last_failed_at = ${now}, answered = ${answered},
        error = ${error}, next_attempt_at = ${retryAt}, ${over(sql)}
    where store_id = ${storeId} and id = ${deliveryId}`;
}

export async function saveFailure(
  sql: TransactionSql,
  { store_id, id }: Named,
  failure: EndpointFailure,
): Promise<void> {
  const { failures, failing_since, last_failed_id, several_fail, blocked_until, disabled } = failure;
  await sql`
    update webhook_endpoints
    set failures = ${failures}, failing_since = ${failing_since}, last_failed_id = ${last_failed_id},
        several_fail = ${several_fail}, blocked_until = ${blocked_until}
        ${
          disabled
            ? sql`, status = 'disabled', disabled_reason = ${disabled}, version = version + 1,
                    updated_at = greatest(clock_timestamp(), updated_at)`
            : sql``
        }
    where store_id = ${store_id} and id = ${id}`;
}

export async function saveSuccess(sql: TransactionSql, { store_id, id }: Named): Promise<void> {
  await sql`
    update webhook_endpoints
    set last_success_at = statement_timestamp(), failures = 0, failing_since = null, last_failed_id = null,
        several_fail = false, blocked_until = null
    where store_id = ${store_id} and id = ${id}`;
}

/** What failed since this moment is due at once, and holds its entity as if it had not failed. */
export async function releaseFailed(sql: TransactionSql, { store_id, id }: Named, since: Date): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = statement_timestamp(), first_failed_at = null
    where store_id = ${store_id} and endpoint_id = ${id} and status = 'pending' and lease_token is null
      and last_failed_at >= ${since}`;
}
