import type { TransactionSql } from '@mostrador/kit/database/database';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { quoteKeyOf } from '../channels/message-key.ts';
import { messageEvents } from './message-events.ts';
import { type Conversation, linkWaitingQuotes, listWaitingKeys } from './quote.repository.ts';
import { listLatestIds } from './stored-id.repository.ts';

/**
 * Links messages of the lead that quote these, which have just been stored or got these ids. The caller holds the
 * conversation's lock. Returns the events. The past has none.
 */
export async function linkQuotesOf(
  sql: TransactionSql,
  storeId: string,
  conversation: Conversation,
  providerMessageIds: readonly string[],
): Promise<OutboxEntry[]> {
  const rows = await linkWaitingQuotes(sql, storeId, conversation, providerMessageIds);
  return rows.flatMap((row) => (row.from_history ? [] : messageEvents.updated({ ...row, reply_to_id: null }, row)));
}

/** Links the quotes of a lead that got the messages of another one. Returns the events. */
export async function linkQuotesOfLead(sql: TransactionSql, storeId: string, leadId: string): Promise<OutboxEntry[]> {
  const waiting = Map.groupBy(await listWaitingKeys(sql, storeId, leadId), ({ channel_id }) => channel_id);
  const entries: OutboxEntry[] = [];
  for (const [channelId, quotes] of waiting) {
    const place = { leadId, channelId };
    const keys = new Set(quotes.map(({ quoted_key }) => quoted_key));
    const ids = (await listLatestIds(sql, storeId, place)).filter((id) => keys.has(quoteKeyOf(id)));
    entries.push(...(await linkQuotesOf(sql, storeId, place, ids)));
  }
  return entries;
}
