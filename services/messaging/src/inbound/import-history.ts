import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { HistoryMessage } from '../channels/channel-provider.ts';
import { ensureConversation, saveUserId } from '../conversations/conversation.repository.ts';
import { mayReplyTo } from '../conversations/may-reply-to.ts';
import { applyStatusUpdates } from '../delivery/apply-status-updates.ts';
import { saveWaId } from '../delivery/attempt.repository.ts';
import { lockProviderMessages } from '../delivery/batch.repository.ts';
import { findStatusUpdates } from '../delivery/status-update.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyChanges } from '../messages/apply-changes.ts';
import { toInboundBody } from '../messages/inbound-body.ts';
import { linkQuotesOf } from '../messages/link-quotes.ts';
import { listChanges } from '../messages/message-change.repository.ts';
import { findStoredIds } from '../messages/stored-id.repository.ts';
import { ensureLeadOf, findSender } from './accept-inbound.ts';
import {
  ensurePastSession,
  fillPlaceholders,
  findKnownIds,
  insertPast,
  linkQuotes,
  listToldOf,
  numberByTime,
  type PastRow,
} from './history.repository.ts';
import { telephone } from './pause-of.ts';
import { requireSameCustomer } from './same-customer.ts';

/**
 * Stores messages from before the number was connected, in the place of the conversation where they belong. They say
 * nothing new: no session opens, no report, window, unread message or interaction counts them, no follow-up is cancelled,
 * and no event tells of them, nor of the changes that came with the past. What else the channel told of one before, such as
 * its deletion, applies with its event. A customer without a lead gets one. Repeats and any order are safe.
 *
 * @throws AppError and NoPhone as `acceptInbound`
 */
export async function importHistory(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  messages: readonly [HistoryMessage, ...HistoryMessage[]],
): Promise<void> {
  const { storeId } = context;
  const sender = await findSender({ database, rpc, relay }, context, channelId, messages[0]);
  const { waId, userId } = sender.message;
  const known = sender.byWaId ?? sender.byUserId;
  const leadId = known ?? (await ensureLeadOf({ database, rpc, relay }, context, sender));
  await database.write(context, async (sql) => {
    const ids = messages.map(({ providerMessageId }) => providerMessageId);
    const ofChannel = ids.map((providerMessageId) => ({ channelId, providerMessageId }));
    await lockProviderMessages(sql, storeId, ofChannel);
    const conversation = await ensureConversation(sql, storeId, leadId, known === null);
    const lead = { id: leadId, confirmed: known === null, byWaId: sender.byWaId !== null };
    requireSameCustomer(conversation, lead, sender.message);
    const stored = await findKnownIds(sql, storeId, { channelId, ids });
    const rows = messages.map(toPastRow);
    const news = new Map(rows.filter(({ id }) => !stored.has(id)).map((row) => [row.id, row]));
    const files = rows.filter(({ id, media }) => stored.has(id) && media !== null);
    await fillPlaceholders(sql, storeId, channelId, files);
    if (news.size > 0) {
      const added = [...news.values()];
      const place = { leadId, channelId };
      const sessionId = await ensurePastSession(sql, storeId, leadId, added);
      await insertPast(sql, storeId, { leadId, channelId, sessionId }, added);
      await linkQuotes(sql, storeId, place, await withStoredQuotes(sql, storeId, place, added));
      await appendOutbox(sql, storeId, await linkQuotesOf(sql, storeId, place, [...news.keys()]));
      await numberByTime(sql, storeId, leadId, oldestOf(added));
    }
    // What the channel told before of what is stored now.
    const changed = [...news.keys(), ...files.map(({ id }) => id)];
    for (const message of await listToldOf(sql, storeId, { leadId, channelId }, changed)) {
      const target = { channelId, providerMessageId: message.provider_message_id };
      const reports = await findStatusUpdates(sql, storeId, channelId, target.providerMessageId);
      const after = await applyStatusUpdates(sql, storeId, message, reports);
      const changes = await listChanges(sql, storeId, target);
      const silent = changes.every(({ from_history }) => from_history);
      await applyChanges(sql, storeId, after, changes, { silent });
    }
    if (waId !== null && conversation.wa_id === null && mayReplyTo(conversation, waId))
      await saveWaId(sql, storeId, leadId, waId);
    if (userId !== null && sender.byUserId === null) await saveUserId(sql, storeId, leadId, { userId, channelId }, []);
  });
  relay.nudge(['event', 'feed']);
}

/** Those of them that quote a message under another id than it is stored under name the stored one. */
async function withStoredQuotes(
  sql: TransactionSql,
  storeId: string,
  place: { readonly leadId: string; readonly channelId: string },
  rows: readonly PastRow[],
): Promise<PastRow[]> {
  const quoted = rows.flatMap(({ quoted_id }) => quoted_id ?? []);
  const stored = await findStoredIds(sql, storeId, place, quoted);
  return rows.map((row) => ({ ...row, quoted_id: row.quoted_id && (stored.get(row.quoted_id) ?? row.quoted_id) }));
}

const oldestOf = (rows: readonly PastRow[]): Date => new Date(Math.min(...rows.map(({ written_at }) => +written_at)));

const toPastRow = (message: HistoryMessage): PastRow => ({
  id: message.providerMessageId,
  direction: message.isEcho ? 'outbound' : 'inbound',
  source: message.isEcho ? 'seller' : 'lead',
  author: message.isEcho ? telephone : null,
  status: message.status,
  kind: message.kind,
  ...toInboundBody(message.body),
  content: message.content ?? null,
  media: message.media ?? null,
  written_at: message.writtenAt,
  quoted_id: message.quotedId ?? null,
});
