import type { FollowupCancelReason, MessageTemplate } from '@mostrador/contracts';
import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Metadata } from '@mostrador/kit/database/metadata';
import { overdueIn } from '@mostrador/kit/step/overdue.repository';
import type { FollowupChange } from './change-followup.ts';
import type { FollowupRow, Named } from './followup.ts';

export type NewFollowup = {
  readonly lead_id: string;
  readonly message: string;
  readonly template: MessageTemplate | null;
  readonly due_at: Date;
  readonly next_attempt_at: Date;
  readonly cancel_on_reply: boolean;
  readonly cancel_on_appointment: boolean;
  readonly expires_at: Date | null;
  readonly appointment_id: string | null;
  readonly metadata: Metadata;
  /** By the clock inside the transaction: docs/adr/0010. */
  readonly created_at: Date;
};

/** Why the lead's follow-ups are cancelled. */
export type CancelCause = {
  readonly leadId: string;
  readonly reason: Extract<FollowupCancelReason, 'lead_replied' | 'appointment_booked' | 'opted_out' | 'lead_deleted'>;
  /** Cancels only follow-ups created before this moment, for example before the lead's message was received. */
  readonly createdBefore?: Date;
};

/** The time of the database clock and an id for a new row. */
export async function beginFollowup(sql: TransactionSql): Promise<{ now: Date; id: string }> {
  const [row] = await sql<{ now: Date; id: string }[]>`select clock_timestamp() as now, uuidv7() as id`;
  return row as { now: Date; id: string };
}

export async function insertFollowup(
  sql: TransactionSql,
  storeId: string,
  id: string,
  followup: NewFollowup,
): Promise<FollowupRow> {
  const { lead_id, message, template, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment } = followup;
  const { expires_at, appointment_id, metadata, created_at } = followup;
  const [row] = await sql<FollowupRow[]>`
    insert into followups (store_id, id, lead_id, message, template, due_at, next_attempt_at, cancel_on_reply,
                           cancel_on_appointment, expires_at, appointment_id, metadata, created_at, updated_at)
    values (${storeId}, ${id}, ${lead_id}, ${message}, ${template && sql.json(template as never)}, ${due_at},
            ${next_attempt_at}, ${cancel_on_reply}, ${cancel_on_appointment}, ${expires_at}, ${appointment_id},
            ${sql.json(metadata)}, ${created_at}, ${created_at})
    returning *`;
  return row as FollowupRow;
}

export const findFollowup = (sql: Sql, storeId: string, id: string) =>
  sql<FollowupRow[]>`select * from followups where store_id = ${storeId} and id = ${id}`;

/** Locks the row until the transaction ends. `now` is the database clock after the lock was granted. */
export async function lockFollowup(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<{ followup: FollowupRow; now: Date } | undefined> {
  const [followup] = await sql<FollowupRow[]>`
    select * from followups where store_id = ${storeId} and id = ${id} for no key update`;
  if (!followup) return undefined;
  return { followup, now: await readClock(sql) };
}

/** Writes a change of a locked follow-up, and raises its version. */
export async function saveFollowup(
  sql: TransactionSql,
  storeId: string,
  id: string,
  change: FollowupChange,
): Promise<FollowupRow> {
  const { message, template, due_at, cancel_on_reply, cancel_on_appointment } = change;
  const { expires_at, appointment_id, metadata, reminder_start, asks_confirmation } = change;
  const { next_attempt_at, attempts, first_attempt_at, error_code, error_detail } = change;
  const [row] = await sql<FollowupRow[]>`
    update followups
    set message = ${message}, template = ${template && sql.json(template as never)}, due_at = ${due_at},
        cancel_on_reply = ${cancel_on_reply}, cancel_on_appointment = ${cancel_on_appointment},
        expires_at = ${expires_at}, appointment_id = ${appointment_id}, metadata = ${sql.json(metadata)},
        reminder_start = ${reminder_start}, asks_confirmation = ${asks_confirmation}, next_attempt_at = ${next_attempt_at}, attempts = ${attempts},
        first_attempt_at = ${first_attempt_at}, error_code = ${error_code}, error_detail = ${error_detail},
        version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id}
    returning *`;
  return row as FollowupRow;
}

/** Cancels a locked pending follow-up. */
export async function saveCancellation(
  sql: TransactionSql,
  storeId: string,
  id: string,
  reason: FollowupCancelReason,
): Promise<FollowupRow> {
  const [row] = await sql<[FollowupRow]>`
    update followups
    set status = 'cancelled', cancel_reason = ${reason}, next_attempt_at = null,
        updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id}
    returning *`;
  return row;
}

/** Cancels up to `limit` of the lead's pending follow-ups. Rows are locked in the order of their ids. */
export async function cancelBatchOfLead(
  sql: TransactionSql,
  storeId: string,
  cause: CancelCause,
  limit: number,
): Promise<FollowupRow[]> {
  return await sql<FollowupRow[]>`
    update followups f
    set status = 'cancelled', cancel_reason = ${cause.reason}, next_attempt_at = null,
        updated_at = greatest(clock_timestamp(), f.updated_at)
    from (
      select id from followups where ${concernedBy(sql, storeId, cause)}
      order by id limit ${limit}
      for no key update
    ) concerned
    where f.store_id = ${storeId} and f.id = concerned.id
    returning f.*`;
}

/** The statement that finds one of the follow-ups which `cancelBatchOfLead` would cancel. */
export const findConcerned = (sql: Sql, storeId: string, cause: CancelCause) =>
  sql<{ id: string }[]>`select id from followups where ${concernedBy(sql, storeId, cause)} limit 1`;

const concernedBy = (sql: Sql, storeId: string, { leadId, reason, createdBefore }: CancelCause) => sql`
  store_id = ${storeId} and lead_id = ${leadId} and status = 'pending'
  ${reason === 'lead_replied' ? sql`and cancel_on_reply` : sql``}
  ${reason === 'appointment_booked' ? sql`and cancel_on_appointment` : sql``}
  ${createdBefore ? sql`and created_at < ${createdBefore}` : sql``}`;

export type OverdueFollowup = Named & { readonly store_id: string };

export const overdueFollowupRows = overdueIn<OverdueFollowup>({
  table: 'followups',
  key: 'id',
  due: 'next_attempt_at',
  where: (sql) => sql`status in ('pending', 'sending')`,
  columns: (sql) => sql`woken.id, woken.lead_id`,
});
