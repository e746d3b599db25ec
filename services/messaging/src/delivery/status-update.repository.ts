import { type MessagePricing, type OptOut, pricingCategories, toMicros } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { ReceivedStatusUpdate, StatusUpdate } from '../channels/channel-provider.ts';
import { countInteraction } from '../conversations/conversation.repository.ts';
import { messageColumns } from '../messages/message.repository.ts';
import { isEcho, type MessageRow, type SavedState } from '../messages/message.ts';
import { recordResponse } from '../sessions/session.repository.ts';
import type { Rate } from './rates.ts';

/**
 * Locks a provider's message id. A transaction takes this lock, before the conversation's, to store a status update
 * under the id or to learn a message's id. Without it, two such transactions at once would miss each other.
 */
export async function lockProviderMessage(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  providerMessageId: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${providerMessageLock(sql, storeId, channelId, sql`${providerMessageId}`)})`;
}

/** SQL expression: the key of that lock. */
export const providerMessageLock = (
  sql: Sql,
  storeId: string,
  channelId: string,
  providerMessageId: ReturnType<typeof sql>,
) => sql`hashtextextended(${`messaging report ${storeId} ${channelId} `}::text || ${providerMessageId}::text, 0)`;

/** Stores status updates. A duplicate changes nothing. */
export async function insertStatusUpdates(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  updates: readonly ReceivedStatusUpdate[],
): Promise<void> {
  const rows = updates.map(({ providerMessageId, callbackData, status, at, error, pricing }) => ({
    ...{ provider_message_id: providerMessageId, callback_data: callbackData, status, reported_at: at.toISOString() },
    ...{ error_code: error?.code, error_detail: error?.detail, opt_out: error?.optOut, pricing },
  }));
  await sql`
    insert into status_reports (store_id, channel_id, provider_message_id, callback_data, status, reported_at,
      error_code, error_detail, opt_out, pricing)
    select ${storeId}::uuid, ${channelId}::uuid, told.*
    from json_to_recordset(${sql.json(rows as never)}::json) as told (provider_message_id text, callback_data text,
      status text, reported_at timestamptz, error_code text, error_detail text, opt_out text, pricing jsonb)
    on conflict do nothing`;
}

export type StatusUpdateRow = {
  readonly provider_message_id: string;
  readonly status: StatusUpdate['status'];
  readonly reported_at: Date;
  readonly error_code: string | null;
  readonly error_detail: string | null;
  readonly opt_out: OptOut['scope'] | null;
  readonly pricing: MessagePricing | null;
};

export const toStatusUpdate = ({
  status,
  reported_at,
  error_code: code,
  error_detail: detail,
  opt_out: optOut,
  pricing,
}: StatusUpdateRow): StatusUpdate => ({
  status,
  at: reported_at,
  ...(pricing !== null && { pricing }),
  ...(code !== null && { error: { code, detail: detail ?? '', ...(optOut && { optOut }) } }),
});

/** All status updates under a provider's message id, by the provider's time. */
export async function findStatusUpdates(
  sql: Sql,
  storeId: string,
  channelId: string,
  providerMessageId: string,
): Promise<StatusUpdate[]> {
  const rows = await findAllStatusUpdates(sql, storeId, channelId, [providerMessageId]);
  return rows.map(toStatusUpdate);
}

/** All status updates under these ids of the provider, by the provider's time. */
export async function findAllStatusUpdates(
  sql: Sql,
  storeId: string,
  channelId: string,
  providerMessageIds: readonly string[],
): Promise<StatusUpdateRow[]> {
  return await sql<StatusUpdateRow[]>`
    select provider_message_id, status, reported_at, error_code, error_detail, opt_out, pricing from status_reports
    where store_id = ${storeId} and channel_id = ${channelId}
      and provider_message_id = any(${[...providerMessageIds]}::text[])
    order by reported_at`;
}

/** The provider's id of a message, if a status update carried our id of it within the last `attemptMs`. */
export async function findProviderMessageId(
  sql: Sql,
  storeId: string,
  channelId: string,
  messageId: string,
  attemptMs: number,
): Promise<string | undefined> {
  const [row] = await sql<StatusUpdateRow[]>`
    select provider_message_id from status_reports
    where store_id = ${storeId} and channel_id = ${channelId} and callback_data = ${messageId}
      and received_at >= clock_timestamp() - ${attemptMs} * interval '1 millisecond'
    order by received_at desc limit 1`;
  return row?.provider_message_id;
}

/** The outbound message of a status update: by the provider's id, else by our id in `callbackData`. */
export async function findUpdatedMessage(
  sql: Sql,
  storeId: string,
  channelId: string,
  { providerMessageId, callbackData }: ReceivedStatusUpdate,
): Promise<{ id: string; lead_id: string } | undefined> {
  const [known] = await sql<{ id: string; lead_id: string }[]>`
    select id, lead_id from messages
    where store_id = ${storeId} and channel_id = ${channelId} and provider_message_id = ${providerMessageId}
      and direction = 'outbound'`;
  if (known || !callbackData || !isUuid.test(callbackData)) return known;
  const [ours] = await sql<{ id: string; lead_id: string }[]>`
    select id, lead_id from messages
    where store_id = ${storeId} and id = ${callbackData} and channel_id = ${channelId}
      and provider_message_id is null and direction = 'outbound'`;
  return ours;
}

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Writes a message's state and when it was recorded. Clears the lease and every pending time. Returns the saved row. */
export async function saveState(
  sql: TransactionSql,
  storeId: string,
  id: string,
  state: SavedState,
): Promise<MessageRow> {
  const [row] = await sql<[MessageRow]>`${savingState(sql, storeId, id, state, sql`clock_timestamp()`)}`;
  return row;
}

/**
 * As `saveState`, for a message that becomes sent: counts the interaction (`countInteraction`) and records the response.
 * One statement does it all, because each statement costs about as much as the row that it changes.
 */
export async function saveSent(
  sql: TransactionSql,
  storeId: string,
  message: Pick<MessageRow, 'id' | 'lead_id' | 'session_id' | 'author'>,
  state: SavedState,
  pair?: Rate,
): Promise<MessageRow> {
  const now: ReturnType<Sql> = sql`(select at from clock)`;
  const [row] = await sql<[MessageRow]>`
    with clock as (select clock_timestamp()::timestamptz(3) as at),
    counted as (${countInteraction(sql, storeId, message.lead_id, { pair, takes: !isEcho(message) })}),
    responded as (${recordResponse(sql, storeId, message, now)})
    ${savingState(sql, storeId, message.id, state, now)}`;
  return row;
}

const savingState = (
  sql: Sql,
  storeId: string,
  id: string,
  { pricing, ...state }: SavedState,
  now: ReturnType<typeof sql>,
) => sql`
  update messages set ${sql({ ...state })}, ${priced(sql, state, pricing, now)} lease_token = null, lease_until = null, next_attempt_at = null,
    slot_at = null, unknown_since = null, unsettled_at = null,
    counted_at = coalesce(counted_at, case when ${state.sent_at !== null} and not from_history then ${now} end),
    failed_at = coalesce(failed_at, case when ${state.status === 'failed'} and not from_history then ${now} end)
  where store_id = ${storeId} and id = ${id}
  returning ${messageColumns(sql)}`;

/** A message counts with its price once it is delivered and the price is known. Neither is counted twice. */
function priced(
  sql: Sql,
  { delivered_at }: Pick<SavedState, 'delivered_at'>,
  pricing: MessagePricing | null,
  now: ReturnType<typeof sql>,
) {
  if (pricing === null) return sql``;
  // A price that was stored before there were rates has no amount.
  const amount = pricing.amount ?? null;
  const as = pricedAs(pricing);
  const counts = sql`${delivered_at !== null} and not from_history`;
  return sql`
    pricing = ${sql.json(pricing)}, priced_at = coalesce(priced_at, case when ${counts} then ${now} end),
    priced_as = coalesce(priced_as, case when ${counts} then ${as}::text end),
    priced_micros = case when priced_at is null and ${counts} then ${amount === null ? null : toMicros(amount)}::bigint else priced_micros end,`;
}

/** As what a message counts in the report of prices. */
export function pricedAs({ billable, category }: MessagePricing): string {
  const known = pricingCategories.find((each) => each === category) ?? 'other';
  return `${billable ? 'billed' : 'free'}_${known}`;
}

/** Sets the provider's id, unless the message has one. Returns the row if it had none. */
export async function saveProviderId(
  sql: TransactionSql,
  storeId: string,
  id: string,
  providerMessageId: string,
): Promise<MessageRow | undefined> {
  const [row] = await sql<MessageRow[]>`
    update messages set provider_message_id = ${providerMessageId}
    where store_id = ${storeId} and id = ${id} and provider_message_id is null
    returning ${messageColumns(sql)}`;
  return row;
}

/** Clears the watchdog's time, because the provider posts status updates for the messages. It travels with the commit. */
export function clearWatchdogs(sql: TransactionSql, storeId: string, ids: readonly string[]): void {
  sql.withCommit(sql`
    update messages set unsettled_at = null
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and unsettled_at is not null`);
}

/** A message that exists. The caller holds the conversation's lock. */
export async function readMessage(sql: Sql, storeId: string, id: string): Promise<MessageRow> {
  const [row] = await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages where store_id = ${storeId} and id = ${id}`;
  return row as MessageRow;
}
