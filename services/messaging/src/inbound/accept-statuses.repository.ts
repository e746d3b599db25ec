import { toMicros } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { pricedAs } from '../delivery/status-update.repository.ts';
import { messageColumns } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';

// The statements of many status updates of a channel. Those of one are in ../delivery/status-update.repository.ts.

/** The leads of the outbound messages with these ids of the provider. */
export async function findLeadsOf(
  sql: Sql,
  storeId: string,
  channelId: string,
  providerMessageIds: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ lead_id: string }[]>`
    select distinct lead_id from messages
    where store_id = ${storeId} and channel_id = ${channelId}
      and provider_message_id = any(${[...providerMessageIds]}::text[]) and direction = 'outbound'`;
  return rows.map(({ lead_id }) => lead_id);
}

/** The outbound messages with these ids of the provider, by that id. */
export async function findOutbound(
  sql: Sql,
  storeId: string,
  channelId: string,
  providerMessageIds: readonly string[],
): Promise<MessageRow[]> {
  return await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages
    where store_id = ${storeId} and channel_id = ${channelId}
      and provider_message_id = any(${[...providerMessageIds]}::text[]) and direction = 'outbound'`;
}

/** As `saveState`, of many that were sent before. `before`: their pricing is kept unless it changes. */
export async function saveArrivals(
  sql: TransactionSql,
  storeId: string,
  messages: readonly MessageRow[],
): Promise<MessageRow[]> {
  const rows = messages.map(({ id, status, sent_at, delivered_at, read_at, pricing }) => ({
    ...{ message: id, now_status: status, sent: sent_at, delivered: delivered_at, seen: read_at, price: pricing },
    price_as: pricing && pricedAs(pricing),
    // A price that was stored before there were rates has no amount.
    micros: pricing?.amount == null ? null : toMicros(pricing.amount),
  }));
  const counts = sql`arrived.price_as is not null and arrived.delivered is not null and not from_history`;
  return await sql<MessageRow[]>`
    with clock as (select clock_timestamp()::timestamptz(3) as at)
    update messages
    set status = arrived.now_status, sent_at = arrived.sent, delivered_at = arrived.delivered, read_at = arrived.seen,
      pricing = case when arrived.price_as is not null then arrived.price::jsonb else pricing end,
      priced_micros = case when priced_at is null and ${counts} then arrived.micros else priced_micros end,
      priced_as = coalesce(priced_as, case when ${counts} then arrived.price_as end),
      priced_at = coalesce(priced_at, case when ${counts} then clock.at end),
      counted_at = coalesce(counted_at, case when not from_history then clock.at end),
      lease_token = null, lease_until = null, next_attempt_at = null, slot_at = null, unknown_since = null,
      unsettled_at = null
    from json_to_recordset(${sql.json(rows as never)}::json) as arrived (message uuid, now_status text, sent timestamptz,
      delivered timestamptz, seen timestamptz, price json, price_as text, micros bigint), clock
    where store_id = ${storeId} and id = arrived.message
    returning ${messageColumns(sql as Sql)}`;
}
