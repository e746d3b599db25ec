import type { Sql } from '@mostrador/kit/database/database';
import { messageKeyOf } from '../channels/message-key.ts';
import type { Conversation } from './quote.repository.ts';

/** An older message is found only by the very id under which it is stored. */
const latest = 1_000;

/**
 * The ids under which messages of a conversation are stored, of those that the channel names by another id: by the id that
 * it told. What is stored under the told id, or not at all, is left out.
 */
export async function findStoredIds(
  sql: Sql,
  storeId: string,
  { leadId, channelId }: Conversation,
  told: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map(told.map((id) => [id, messageKeyOf(id)] as const).filter(([, key]) => key !== null));
  if (keys.size === 0) return new Map();
  const exact = await sql<{ id: string }[]>`
    select provider_message_id as id from messages
    where store_id = ${storeId} and channel_id = ${channelId} and provider_message_id = any(${[...keys.keys()]}::text[])`;
  for (const { id } of exact) keys.delete(id);
  if (keys.size === 0) return new Map();
  const ids = await listLatestIds(sql, storeId, { leadId, channelId });
  const stored = new Map(ids.map((id) => [messageKeyOf(id), id]));
  return new Map([...keys].flatMap(([id, key]) => (stored.has(key) ? [[id, stored.get(key) as string]] : [])));
}

/** The channel's ids of the latest messages of the lead. */
export async function listLatestIds(sql: Sql, storeId: string, { leadId, channelId }: Conversation): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select provider_message_id as id from messages
    where store_id = ${storeId} and lead_id = ${leadId} and channel_id = ${channelId} and provider_message_id is not null
    order by number desc limit ${latest}`;
  return rows.map(({ id }) => id);
}

/** The id under which the message is stored that the channel names so; the same when it is not stored. */
export async function storedIdOf(sql: Sql, storeId: string, conversation: Conversation, told: string): Promise<string> {
  return (await findStoredIds(sql, storeId, conversation, [told])).get(told) ?? told;
}
