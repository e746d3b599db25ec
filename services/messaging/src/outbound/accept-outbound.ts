import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { replyWindowMsOf } from '../channels/providers.ts';
import { lockOrCreate } from '../conversations/conversation.repository.ts';
import { isWindowOpen } from '../conversations/reply-window.ts';
import { cancelQueuedAi } from '../delivery/cancel-queued-ai.ts';
import { expired, saveCancelled } from '../delivery/record-final.ts';
import { wakeDelivery } from '../delivery/wake-overdue.ts';
import { conversationRead } from '../inbox/conversation-read.ts';
import { findMessage, insertMessage, takeNumber } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';
import { messageEvents } from '../messages/message-events.ts';
import { beginSession } from '../sessions/session.repository.ts';
import { lockForAcceptance, lookAround } from './acceptance.repository.ts';
import { contentOf } from './content.ts';
import type { OutboundRequest } from './outbound-request.ts';
import { assertConnected, assertWanted } from './refusals.ts';
import { reservePrice } from './reserve-price.ts';

/**
 * An accepted message. `waitSeconds`: the store's `message_wait_seconds`, unless the message was accepted before. `isDue`:
 * it or another message of the lead is due now, so publish a notice after the commit.
 */
export type Accepted = { readonly message: MessageRow; readonly waitSeconds?: number; readonly isDue?: boolean };

/**
 * Accepts a message to an existing lead and fixes its place in the lead's queue. Wakes the delivery of the store's
 * shard, unless that is open, or a message of the lead is on its way already. A message that was accepted under this id
 * before is returned as it is, but cancelled if it still waits and has expired.
 *
 * @throws AppError checked in this order: `message_expired`, `channel_not_connected`, those of `requireTemplate` for a
 *   message that is a template, `lead_opted_out`, `ai_paused`, `lead_replied`, `messaging_window_closed`,
 *   `message_budget_reached`. The transaction must roll back.
 * @throws NoConversation as `lockOrCreate` does. The transaction must roll back.
 */
export async function acceptOutbound(
  sql: TransactionSql,
  storeId: string,
  request: OutboundRequest,
): Promise<Accepted> {
  const { id, source, handsOver = false } = request;
  const { conversation, around } = await lockAndLook(sql, storeId, request);
  // The row's spelling of the id, because the workflow id is derived from it.
  const { lead_id, channel, settings } = conversation;
  const accepted = id && (await findMessage(sql, storeId, id));
  const isExpired = request.expires_at !== undefined && request.expires_at <= conversation.now;
  if (accepted) return { message: isExpired ? await cancelExpired(sql, storeId, accepted) : accepted };

  if (isExpired) throw new AppError('message_expired');
  assertConnected(channel);
  const { body, kind } = await contentOf(sql, storeId, channel, request);
  await assertWanted(sql, request, conversation, around.has_unprocessed);
  const pausesAi = source === 'seller' || handsOver || (source === 'api' && settings.api_pauses_ai);
  const { number, at, sessionId, delivering } = await takeNumber(sql, storeId, lead_id, source, {
    answers: !handsOver,
    pausesAi: pausesAi ? { minutes: settings.ai_pause_minutes, by: request.author ?? null } : undefined,
  });
  const isOpen = isWindowOpen(replyWindowMsOf(channel), conversation, at);
  if (!request.template && !isOpen) throw new AppError('messaging_window_closed');
  const reserved = await reservePrice(sql, conversation, channel, request, { at, isOpen });
  const session = sessionId
    ? { sessionId, events: [] }
    : await beginSession(sql, storeId, lead_id, { at, direction: 'outbound' });
  const { template, metadata, expires_at } = request;
  const message = await insertMessage(sql, storeId, {
    id,
    lead_id,
    session_id: session.sessionId,
    number,
    created_at: at,
    direction: 'outbound',
    source,
    author: request.author,
    body,
    kind,
    template,
    metadata,
    expires_at,
    answers: !handsOver,
    budget_micros: reserved?.micros,
  });
  // Afterwards, because a cancelled message makes the inbox count again what the lead waits for.
  const overtaken =
    pausesAi && delivering ? await cancelQueuedAi(sql, storeId, { leadId: lead_id, before: number }) : [];
  // What waited behind a cancelled message is due, too.
  const isDue = !delivering || overtaken.length > 0;
  appendOutboxWithCommit(sql, storeId, [
    ...session.events,
    ...messageEvents.queued(message),
    ...overtaken,
    ...(reserved?.events ?? []),
    ...(source === 'seller' && conversation.unread_count > 0 ? conversationRead(lead_id) : []),
    ...(isDue && !around.is_shard_open ? [wakeDelivery(storeId, 'message_accepted')] : []),
  ]);
  return { message, waitSeconds: settings.message_wait_seconds, isDue };
}

async function lockAndLook(sql: TransactionSql, storeId: string, { lead_id, confirmed }: OutboundRequest) {
  const locking = lockOrCreate(sql, storeId, lead_id, confirmed, lockForAcceptance);
  // Pipelined: PostgreSQL runs them in this order, so the lock is held when the second one reads. A conversation that must
  // be created is locked later.
  if (confirmed) await locking;
  const [conversation, around] = await Promise.all([locking, lookAround(sql, storeId)]);
  return { conversation, around };
}

/** Cancels a message that is still `queued`. The caller holds the conversation's lock. */
async function cancelExpired(sql: TransactionSql, storeId: string, accepted: MessageRow): Promise<MessageRow> {
  if (accepted.status !== 'queued') return accepted;
  const { message, entries } = await saveCancelled(sql, storeId, accepted, expired);
  // The messages behind it waited for it.
  appendOutboxWithCommit(sql, storeId, [...entries, wakeDelivery(storeId, 'message_settled')]);
  return message;
}
