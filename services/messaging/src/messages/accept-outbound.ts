import type { ChannelConnection, Message } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/errors';
import { appendOutbox } from '@mostrador/kit/outbox';
import type { TransactionSql } from '@mostrador/kit/postgres';
import { findChannel } from '../channels/channel.repository.ts';
import { type ConversationRow, ensureConversation, takeNumber } from '../conversations/conversation.repository.ts';
import { isWindowOpen } from '../conversations/reply-window.ts';
import { hasUnprocessedReply } from '../inbound/find-unprocessed-reply.ts';
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
  /** Refused when the lead, who has this phone, wrote after this moment, also when that is not processed yet. */
  readonly unless_reply?: { readonly after: Date; readonly phone: string } | undefined;
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
  assertReachable(request, conversation, channel);
  await assertNoReply(sql, request, conversation);
  if (!request.template && !isWindowOpen(channel.provider, conversation.last_inbound_at, at)) {
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
    delivering ||
      appendOutbox(sql, storeId, [
        { kind: 'workflow', carrier: 'delivery', entityId: lead_id, leadId: lead_id, signal: 'message_accepted' },
      ]),
  ]);
  return row;
}

// What is refused, in this order: no channel, opted out, replied, window closed. A lead that has opted out is told so
// whatever it wrote with it.

function assertReachable(
  { source }: Pick<OutboundRequest, 'source'>,
  { opted_out_at }: Pick<ConversationRow, 'opted_out_at'>,
  channel: ChannelConnection | null,
): asserts channel is ChannelConnection & { provider: NonNullable<ChannelConnection['provider']> } {
  if (!channel?.provider)
    throw new AppError('channel_not_connected', { detail: 'The store has no messaging channel.' });
  if (channel.status !== 'connected') {
    throw new AppError('channel_not_connected', { detail: "The store's messaging channel must be connected again." });
  }
  if (opted_out_at && (source === 'ai' || source === 'followup')) throw new AppError('lead_opted_out');
}

async function assertNoReply(
  sql: TransactionSql,
  { unless_reply }: Pick<OutboundRequest, 'unless_reply'>,
  conversation: ConversationRow,
): Promise<void> {
  if (!unless_reply) return;
  const { last_inbound_at } = conversation;
  if (last_inbound_at && last_inbound_at > unless_reply.after) throw new AppError('lead_replied');
  if (await hasUnprocessedReply(sql, conversation, unless_reply)) throw new AppError('lead_replied');
}
