import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { quoteKeyOf } from '../channels/message-key.ts';
import { messageColumns } from './message.repository.ts';
import type { MessageRow } from './message.ts';

export type Conversation = { readonly leadId: string; readonly channelId: string };

/**
 * Sets that messages of the lead quote these, which have just been stored or got these ids. A quote may come before what it
 * quotes. The caller holds the conversation's lock. Returns the changed rows.
 */
export async function linkWaitingQuotes(
  sql: TransactionSql,
  storeId: string,
  { leadId, channelId }: Conversation,
  providerMessageIds: readonly string[],
): Promise<MessageRow[]> {
  return await sql<MessageRow[]>`
    update messages m set reply_to_id = told.message, updated_at = clock_timestamp()
    from (
      select given.key, quoted.id as message
      from unnest(${providerMessageIds.map(quoteKeyOf)}::text[], ${[...providerMessageIds]}::text[]) as given (key, id)
      join messages quoted on quoted.store_id = ${storeId} and quoted.channel_id = ${channelId}
        and quoted.provider_message_id = given.id and quoted.lead_id = ${leadId}) as told
    where m.store_id = ${storeId} and m.lead_id = ${leadId} and m.channel_id = ${channelId}
      and m.quoted_key = told.key and m.reply_to_id is null and m.id <> told.message
    returning ${messageColumns(sql)}`;
}

/** Those of these messages that stored messages of the channel quote, and wait for. */
export async function findAwaited(
  sql: Sql,
  storeId: string,
  { channelId, providerMessageIds }: { readonly channelId: string; readonly providerMessageIds: readonly string[] },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select given.id from unnest(${providerMessageIds.map(quoteKeyOf)}::text[], ${[...providerMessageIds]}::text[]) as given (key, id)
    where exists (
      select from messages m
      where m.store_id = ${storeId} and m.quoted_key = given.key and m.reply_to_id is null and m.channel_id = ${channelId})`;
  return rows.map(({ id }) => id);
}

/** The quotes of the lead that wait, by what they name. */
export async function listWaitingKeys(
  sql: Sql,
  storeId: string,
  leadId: string,
): Promise<{ channel_id: string; quoted_key: string }[]> {
  return await sql<{ channel_id: string; quoted_key: string }[]>`
    select distinct channel_id, quoted_key from messages
    where store_id = ${storeId} and quoted_key is not null and reply_to_id is null and lead_id = ${leadId}
      and channel_id is not null`;
}
