import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { AttemptError } from '@mostrador/kit/step/retry-engine';
import type { Named } from '../followups/followup.ts';

/** Every store with something to fence. Read with the system role. */
export async function findStoresToFence(sql: Sql): Promise<string[]> {
  const rows = await sql<{ store_id: string }[]>`
    select store_id from followups where status in ('pending', 'sending')
    union select store_id from calendar_syncs`;
  return rows.map(({ store_id }) => store_id);
}

/** Begins a new epoch of calendar events, unless the restore to this moment has begun one. Returns when it began. */
export async function beginEpoch(sql: TransactionSql, since: Date): Promise<Date> {
  const [row] = await sql<{ fenced_at: Date }[]>`
    insert into restore_fence as known (since) values (${since})
    on conflict (one) do update
      set since = excluded.since,
          fenced_at = case when known.since = excluded.since then known.fenced_at
                      else greatest(excluded.fenced_at, known.fenced_at + interval '1 millisecond') end
    returning fenced_at`;
  return row?.fenced_at as Date;
}

/** When the restore to this moment was fenced; now, if it was not. */
export async function findEpoch(sql: Sql, since: Date): Promise<Date> {
  const [row] = await sql<{ at: Date }[]>`
    select coalesce((select fenced_at from restore_fence where since = ${since}), clock_timestamp()) as at`;
  return row?.at as Date;
}

/** `since`: the moment of the restore. What changed after `fencedAt` is right, so a second call leaves it as it is. */
export type Fence = { readonly since: Date; readonly fencedAt: Date };

/**
 * Holds the follow-ups that were due by the fence and may have been sent after the restore. Each waits until an operator
 * releases it, something cancels it, or it expires `expiresAfterMs` after its due time. One that messaging had accepted
 * is not held, because its message is.
 */
export async function holdDueFollowups(
  sql: TransactionSql,
  storeId: string,
  { since, fencedAt }: Fence,
  { code, detail }: AttemptError,
  expiresAfterMs: number,
): Promise<number> {
  const { count } = await sql`
    update followups
    set status = 'pending', lease_token = null, lease_until = null, error_code = ${code}, error_detail = ${detail},
        next_attempt_at = due_at + (${expiresAfterMs} + 1000) * interval '1 millisecond',
        updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and status in ('pending', 'sending') and message_id is null
      and created_at <= ${since} and due_at <= ${fencedAt} and updated_at <= ${fencedAt}`;
  return count;
}

/** The held follow-ups of a store, the longest due first. */
export async function listHeld(sql: Sql, storeId: string, code: string): Promise<{ id: string }[]> {
  return await sql<{ id: string }[]>`
    select id from followups
    where store_id = ${storeId} and status = 'pending' and error_code = ${code} order by due_at, id`;
}

/** Makes held follow-ups due: the given one, or all of the store. */
export async function releaseHeld(
  sql: TransactionSql,
  storeId: string,
  code: string,
  followupId: string | undefined,
): Promise<Named[]> {
  return await sql<Named[]>`
    update followups
    set next_attempt_at = ${dueNow(sql)}, error_code = null, error_detail = null,
        updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and status = 'pending' and error_code = ${code}
      ${followupId ? sql`and id = ${followupId}` : sql``}
    returning id, lead_id`;
}

/**
 * Requests a sync of every event that may differ from its appointment: one that lies after the restore, or up to
 * `beforeMs` before it, because a lost change may have moved it. Without an ETag the next attempt reads the event before
 * it writes. The sweep wakes the workflows.
 */
export async function requestSyncsAgain(
  sql: TransactionSql,
  storeId: string,
  { since, fencedAt }: Fence,
  beforeMs: number,
): Promise<number> {
  const { count } = await sql`
    update calendar_syncs s
    set state = 'pending', next_attempt_at = ${dueNow(sql)}, requested_at = clock_timestamp(), attempts = 0, etag = null
    from appointments a, calendar_connections c
    where s.store_id = ${storeId} and s.state = 'synced' and s.synced_at <= ${fencedAt}
      and a.store_id = s.store_id and a.id = s.appointment_id and a.status <> 'cancelled'
      and a.scheduled_at > ${since}::timestamptz - ${beforeMs} * interval '1 millisecond'
      and c.store_id = s.store_id and c.id = s.connection_id and c.disconnected_at is null`;
  return count;
}

/** Those of the ids that are appointments of the store. */
export async function findExisting(sql: Sql, storeId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from appointments where store_id = ${storeId} and id::text = any(${ids as string[]})`;
  return rows.map(({ id }) => id);
}
