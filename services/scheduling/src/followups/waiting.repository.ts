import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { WaitingRows } from '@mostrador/kit/step/waiting';

/** A follow-up that is due and not a message yet, with what says why. */
export type WaitingFollowupRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly status: 'pending' | 'sending';
  readonly attempts: number;
  readonly error_code: string | null;
  readonly next_attempt_at: Date;
  readonly lease_until: Date | null;
  readonly since: Date;
  /** The time of the database clock. */
  readonly now: Date;
};

export async function findWaitingFollowups(
  sql: Sql,
  storeId: string,
  { after, before, ids, limit }: WaitingRows,
): Promise<WaitingFollowupRow[]> {
  // One query for each status, because the index of the list is ordered within a status.
  const inStatus = (status: WaitingFollowupRow['status']) => sql`
    (select id, lead_id, status, attempts, error_code, next_attempt_at, lease_until, due_at as since,
       statement_timestamp() as now
     from followups
     where store_id = ${storeId} and status = ${status} and due_at <= statement_timestamp() and message_id is null
       ${after ? sql`and (due_at, id) > (${after.since}, ${after.id})` : sql``}
       ${before ? sql`and due_at < ${before}` : sql``}
       ${ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``}
     order by due_at, id limit ${limit})`;
  return await sql<WaitingFollowupRow[]>`
    ${inStatus('pending')} union all ${inStatus('sending')} order by since, id limit ${limit}`;
}

/** Stores with a follow-up that is due and not a message yet. */
export const findFollowupStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select distinct store_id from followups
    where status in ('pending', 'sending') and due_at <= statement_timestamp() and message_id is null
      and store_id > ${after}
    order by store_id limit ${limit}`;

/** Makes the next attempt of a locked follow-up due now. One that a restore holds is released. */
export async function saveFollowupRetry(
  sql: TransactionSql,
  storeId: string,
  id: string,
  { released }: { released: boolean },
): Promise<void> {
  await sql`
    update followups
    set next_attempt_at = clock_timestamp(), updated_at = greatest(clock_timestamp(), updated_at)
        ${released ? sql`, error_code = null, error_detail = null` : sql``}
    where store_id = ${storeId} and id = ${id}`;
}
