import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { WaitColumns } from '@mostrador/kit/resilience/wait-reason';
import type { WaitingRows } from '@mostrador/kit/step/waiting';

/** A message without an outcome, with the head of its lead's queue, which says why. */
export type WaitingMessageRow = WaitColumns & {
  readonly id: string;
  readonly lead_id: string;
  readonly status: 'queued' | 'sending' | 'unknown';
  readonly attempts: number;
  readonly error_code: string | null;
  readonly lease_until: Date | null;
  readonly since: Date;
  /** Whether it is the first of its lead's queue. */
  readonly is_head: boolean;
  readonly head_next_attempt_at: Date | null;
  readonly channel_status: 'connected' | 'needs_attention' | null;
  readonly channel_error: string | null;
  readonly channel_paused_until: Date | null;
  /** The time of the database clock. */
  readonly now: Date;
};

/** The condition of the index `messages_waiting_of_store`, and of no other one (docs/adr/0034). */
const isWaiting = (sql: Sql) => sql`coalesce(status in ('queued', 'sending', 'unknown'), false)`;

export async function findWaitingMessages(
  sql: Sql,
  storeId: string,
  { after, before, ids, limit }: WaitingRows,
): Promise<WaitingMessageRow[]> {
  return await sql<WaitingMessageRow[]>`
    select m.id, m.lead_id, m.status, m.attempts, m.error_code, m.lease_until, m.created_at as since,
      coalesce(head.id = m.id, false) as is_head, head.next_attempt_at as head_next_attempt_at, head.wait_reason,
      head.wait_since, c.status as channel_status, c.last_error_code as channel_error,
      c.paused_until as channel_paused_until, statement_timestamp() as now
    from (
      select * from messages
      where store_id = ${storeId} and ${isWaiting(sql)}
        ${after ? sql`and (created_at, id) > (${after.since}, ${after.id})` : sql``}
        ${before ? sql`and created_at < ${before}` : sql``}
        ${ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``}
      order by created_at, id
      limit ${limit}
    ) m
    left join channels c on c.store_id = m.store_id and c.disconnected_at is null
    left join lateral (
      select first.id, first.next_attempt_at, first.wait_reason, first.wait_since from messages first
      where m.status = 'queued' and first.store_id = m.store_id and first.lead_id = m.lead_id
        and first.status in ('queued', 'sending')
      order by first.number limit 1
    ) head on true
    order by m.created_at, m.id`;
}

/** Stores with a message without an outcome. It looks for one after the other, whatever the length of their queues. */
export const findMessageStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) => {
  const next = (from: ReturnType<typeof systemSql>) => systemSql`
    select store_id from messages where ${isWaiting(systemSql)} and store_id > ${from}
    order by store_id, created_at, id limit 1`;
  return systemSql<{ store_id: string }[]>`
    with recursive stores as (
      (${next(systemSql`${after}`)})
      union all
      select (${next(systemSql`stores.store_id`)}) from stores where stores.store_id is not null)
    select store_id from stores where store_id is not null limit ${limit}`;
};

/** Makes the head of a locked queue due now. One that has a place in the number's rate keeps it. */
export async function makeHeadDue(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update messages set next_attempt_at = null
    where store_id = ${storeId} and id = ${id} and status = 'queued' and slot_at is null`;
}
