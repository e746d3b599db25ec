import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { setWait } from '@mostrador/kit/resilience/provider-circuit.repository';
import { type ChannelRow, channelColumns, limitLockTime } from '../channels/channel.repository.ts';
import type { WindowOpeners } from '../conversations/reply-window.ts';
import { messageColumns } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';
import { optOutStopsApi } from '../settings/settings.repository.ts';
import type { NumberState } from './rates.ts';

/** The columns of the conversation that decide about sending. */
export type PairRow = WindowOpeners & {
  readonly wa_id: string | null;
  readonly user_id: string | null;
  readonly phone: string | null;
  readonly opted_out_at: Date | null;
  readonly opt_out_stops_api: boolean;
  readonly ai_paused_until: Date | null;
  /** What the AI wrote before the message with this number is not sent. */
  readonly ai_pause_number: number | null;
  readonly pair_tat: Date;
};

/** Whom a message goes to: the number that the customer writes from, else the id without a number, else the lead's phone. */
export const addressOf = ({ wa_id, user_id, phone }: Pick<PairRow, 'wa_id' | 'user_id' | 'phone'>): string | null =>
  wa_id ?? user_id ?? phone;

export const pairColumns = (sql: Sql, storeId: string) => sql`
  wa_id, user_id, phone, last_inbound_at, called_at, opted_out_at, ai_paused_until, ai_pause_number, pair_tat,
  ${optOutStopsApi(sql, storeId)} as opt_out_stops_api`;

/** The first message of the queue, with the columns that decide when it may be sent. */
export type HeadRow = MessageRow & {
  readonly attempts: number;
  readonly lease_until: Date | null;
  readonly next_attempt_at: Date | null;
  readonly slot_at: Date | null;
  /** From this moment on it is not sent. */
  readonly expires_at: Date | null;
  /** When an earlier message became `unknown`: the latest such moment. */
  readonly unknown_before: Date | null;
  /** The database's clock, which all decisions use. */
  readonly now: Date;
};

/** The columns of a `HeadRow`, of the message `m`. */
export const headColumns = (sql: Sql) => sql`
  ${messageColumns(sql)}, attempts, lease_until, next_attempt_at, slot_at, expires_at, clock_timestamp() as now,
  (select max(before.unknown_since) from messages before
   where before.store_id = m.store_id and before.lead_id = m.lead_id and before.status = 'unknown'
     and before.number < m.number) as unknown_before`;

/** Locks the conversation until the transaction ends, then reads the head of its queue. */
export async function lockQueue(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<{ pair: PairRow | undefined; head: HeadRow | undefined }> {
  // Pipelined: PostgreSQL runs them in this order, and each sees what was committed before it began.
  const [[pair], [head]] = await Promise.all([
    sql<PairRow[]>`
      select ${pairColumns(sql, storeId)}
      from conversations
      where store_id = ${storeId} and lead_id = ${leadId} for no key update`,
    sql<HeadRow[]>`
      select ${headColumns(sql)} from messages m
      where store_id = ${storeId} and lead_id = ${leadId} and status in ('queued', 'sending')
      order by number limit 1`,
  ]);
  return { pair, head };
}

/**
 * Makes each queued message wait until it fails for its age. The watchdog publishes an event for each, unless a channel
 * is connected within `unsettledAfterMs`. A message that waits like this already is left as it is.
 */
export async function strandQueue(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { giveUpAfterMs, unsettledAfterMs }: { readonly giveUpAfterMs: number; readonly unsettledAfterMs: number },
): Promise<void> {
  const failsAt = sql`created_at + ${giveUpAfterMs} * interval '1 millisecond'`;
  await sql`
    update messages
    set next_attempt_at = ${failsAt}, ${setWait(sql)},
        unsettled_at = coalesce(unsettled_at, clock_timestamp() + ${unsettledAfterMs} * interval '1 millisecond')
    where store_id = ${storeId} and lead_id = ${leadId} and status = 'queued'
      and next_attempt_at is distinct from ${failsAt}`;
}

/** A channel with the rate limits of its number, and the database's clock after the wait for them. */
export type LockedChannel = ChannelRow & NumberState & { readonly nowMs: number };

/**
 * Locks the store's live channel with the rate limits of its number, and reads both. The row lock makes other
 * transactions wait until this one ends.
 */
export async function lockLiveChannel(sql: TransactionSql, storeId: string): Promise<LockedChannel | undefined> {
  // As fractions of milliseconds, because an interval may be shorter than one.
  const ms = (moment: ReturnType<typeof sql>) => sql`(extract(epoch from ${moment}) * 1000)::float8`;
  // The inner query waits for the lock. PostgreSQL evaluates the outer list after that, so it has the newest values and
  // the time after the wait.
  const [row] = await sql<LockedChannel[]>`
    select ${channelColumns(sql)}, ${ms(sql`number_tat`)} as "tatMs", ${ms(sql`number_sent_tat`)} as "sentTatMs",
      ${ms(sql`clock_timestamp()`)} as "nowMs", ${limitLockTime(sql)}
    from (
      select ${channelColumns(sql)}, number_tat, number_sent_tat from channels
      where store_id = ${storeId} and disconnected_at is null for no key update
    ) locked`;
  return row;
}

/** The statement that stores the number's rate limits. The caller has locked them. */
export const saveNumber = (
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  { tatMs, sentTatMs }: NumberState,
) => sql`
  update channels
  set number_tat = to_timestamp(${tatMs}::float8 / 1000), number_sent_tat = to_timestamp(${sentTatMs}::float8 / 1000)
  where store_id = ${storeId} and id = ${channelId}`;

/** Whether a message of the lead is `queued`. */
export async function hasQueued(sql: Sql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from messages where store_id = ${storeId} and lead_id = ${leadId} and status = 'queued' limit 1`;
  return rows.length > 0;
}

/**
 * Makes messages due that waited for a message with an unknown outcome. Messages that wait for a retry of their own or
 * for the number's rate keep their time.
 */
export async function releaseHeld(sql: TransactionSql, storeId: string, leadId: string): Promise<void> {
  await sql`
    update messages set next_attempt_at = null
    where store_id = ${storeId} and lead_id = ${leadId} and status = 'queued' and next_attempt_at is not null
      and slot_at is null and error_code is null`;
}

/** For a new channel: clears the waits and watchdog times of all queued messages. */
export async function releaseQueues(sql: TransactionSql, storeId: string): Promise<void> {
  await sql`
    update messages set next_attempt_at = null, slot_at = null, unsettled_at = null, ${setWait(sql)}
    where store_id = ${storeId} and status = 'queued'
      and (next_attempt_at is not null or slot_at is not null or unsettled_at is not null)`;
}

export async function countWaiting(sql: Sql, storeId: string): Promise<{ queued: number; unknown: number }> {
  const [row] = await sql<{ queued: number; unknown: number }[]>`
    select count(*) filter (where status in ('queued', 'sending'))::int as queued,
           count(*) filter (where status = 'unknown')::int as unknown
    from messages where store_id = ${storeId} and status in ('queued', 'sending', 'unknown')`;
  return row ?? { queued: 0, unknown: 0 };
}
