import type { ChannelConnection, Message } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findChannel } from '../channels/channel.repository.ts';
import { providerOf } from '../channels/providers.ts';
import { type ConversationRow, ensureConversation, takeNumber } from '../conversations/conversation.repository.ts';
import { readOptOut } from '../conversations/opt-out.ts';
import { isWindowOpen } from '../conversations/reply-window.ts';
import { wakeDelivery } from '../delivery/wake-delivery.ts';
import { findUnprocessed, type Unprocessed } from '../inbound/find-unprocessed.ts';
import { touchSession } from '../sessions/session.repository.ts';
import { findMessage, insertMessage, isDelivering } from './message.repository.ts';
import type { MessageRow, Template } from './message.ts';

export type OutboundRequest = {
  /** Chosen by who asks again with the same one until it is accepted; else it is made. */
  readonly id?: string;
  readonly lead_id: string;
  readonly source: Exclude<Message['source'], 'lead'>;
  readonly body: string;
  readonly template?: Template | undefined;
  /** Refused when the lead wrote after this moment. */
  readonly unless_reply_after?: Date | undefined;
  /** The lead's: with it, what the lead wrote counts also when it is not processed yet. */
  readonly phone?: string | undefined;
};

/**
 * Accepts a message to a lead that exists: its place in the lead's order is certain from here on, and the delivery
 * workflow is woken unless it is at work. What was accepted under this id before is answered as it is.
 *
 * @throws AppError `channel_not_connected`, `lead_opted_out`, `lead_replied` or `messaging_window_closed`, and nothing has happened
 */
export async function acceptOutbound(
  sql: TransactionSql,
  storeId: string,
  request: OutboundRequest,
): Promise<MessageRow> {
  const { id } = request;
  const conversation = await ensureConversation(sql, storeId, request.lead_id);
  // In the row's spelling: the workflow's id is made of it.
  const { lead_id } = conversation;
  const accepted = id && (await findMessage(sql, storeId, id));
  if (accepted) return accepted;

  const [channel, delivering, { number, at }] = await Promise.all([
    findChannel(sql, storeId),
    isDelivering(sql, storeId, lead_id),
    takeNumber(sql, storeId, lead_id),
  ]);
  assertConnected(channel);
  const unprocessed = request.phone === undefined ? [] : await findUnprocessed(sql, conversation, request.phone);
  assertNotOptedOut(request, conversation, unprocessed);
  assertNoReply(request, conversation, unprocessed);
  if (!request.template && !isWindowOpen(providerOf(channel).replyWindowMs, conversation.last_inbound_at, at)) {
    throw new AppError('messaging_window_closed');
  }
  const { sessionId } = await touchSession(sql, storeId, lead_id, { at, direction: 'outbound' });
  const { source, body, template } = request;
  const [row] = await Promise.all([
    insertMessage(sql, storeId, {
      id,
      lead_id,
      session_id: sessionId,
      number,
      created_at: at,
      direction: 'outbound',
      source,
      body,
      template,
    }),
    delivering || appendOutbox(sql, storeId, [wakeDelivery(lead_id, 'message_accepted')]),
  ]);
  return row;
}

// What is refused, in this order: no channel, opted out, replied, window closed. A lead that has opted out is told so
// whatever it wrote with it.

function assertConnected(
  channel: ChannelConnection | null,
): asserts channel is ChannelConnection & { provider: NonNullable<ChannelConnection['provider']> } {
  if (!channel?.provider)
    throw new AppError('channel_not_connected', { detail: 'The store has no messaging channel.' });
  if (channel.status !== 'connected') {
    throw new AppError('channel_not_connected', { detail: "The store's messaging channel must be connected again." });
  }
}

/** Whether messages of this source need that the lead has not opted out: those that no person writes. */
export const needsConsent = (source: OutboundRequest['source']): boolean => source === 'ai' || source === 'followup';

function assertNotOptedOut(
  { source }: OutboundRequest,
  { opted_out_at }: ConversationRow,
  unprocessed: readonly Unprocessed[],
): void {
  if (!needsConsent(source)) return;
  const wish = unprocessed.map(({ body }) => readOptOut(body)).findLast((each) => each !== null);
  if (wish === 'stop' || (opted_out_at && wish !== 'start')) throw new AppError('lead_opted_out');
}

function assertNoReply(
  { unless_reply_after: after }: OutboundRequest,
  { last_inbound_at }: ConversationRow,
  unprocessed: readonly Unprocessed[],
): void {
  if (after === undefined) return;
  if (last_inbound_at && last_inbound_at > after) throw new AppError('lead_replied');
  if (unprocessed.some(({ at }) => at > after)) throw new AppError('lead_replied');
}
