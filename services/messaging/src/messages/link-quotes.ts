import type { TransactionSql } from '@mostrador/kit/database/database';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { quoteKeyOf } from '../channels/message-key.ts';
import type { MessageRow } from './message.ts';
import { messageEvents } from './message-events.ts';
import { linkWaitingQuotes, listProviderIds, listWaitingKeys } from './quote.repository.ts';

/** An older message is not found by the other id that it has. As in `stored-id.repository.ts`. */
const latest = 1_000;

/** The events of quotes that were linked. The import of the past has none. */
export const quotesLinked = (rows: readonly MessageRow[]): OutboxEntry[] =>
  rows.flatMap((row) => (row.from_history ? [] : messageEvents.updated({ ...row, reply_to_id: null }, row)));

/** Links the quotes of a lead that got the messages of another one. Returns the events. */
export async function linkQuotesOfLead(sql: TransactionSql, storeId: string, leadId: string): Promise<OutboxEntry[]> {
  const waiting = Map.groupBy(await listWaitingKeys(sql, storeId, leadId), ({ channel_id }) => channel_id);
  const entries: OutboxEntry[] = [];
  for (const [channelId, quotes] of waiting) {
    const place = { leadId, channelId };
    const keys = new Set(quotes.map(({ quoted_key }) => quoted_key));
    const ids = (await listProviderIds(sql, storeId, place, latest)).filter((id) => keys.has(quoteKeyOf(id)));
    entries.push(...quotesLinked(await linkWaitingQuotes(sql, storeId, place, ids)));
  }
  return entries;
}
