import type { Message, MessageAuthor } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Metadata } from '@mostrador/kit/database/metadata';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { AcceptingChannel } from '../channels/channel.repository.ts';
import { replyWindowMsOf } from '../channels/providers.ts';
import { renderTemplate } from '../channels/render-template.ts';
import { type ConversationRow, lockOrCreate } from '../conversations/conversation.repository.ts';
import { needsConsent, type OptOutColumns, withWish } from '../conversations/opt-out-state.ts';
import { isWindowOpen } from '../conversations/reply-window.ts';
import { cancelQueuedAi } from '../delivery/cancel-queued-ai.ts';
import { expired, saveCancelled } from '../delivery/record-final.ts';
import { wakeDelivery } from '../delivery/wake-overdue.ts';
import { conversationRead } from '../inbox/conversation-read.ts';
import { findMessage, insertMessage, takeNumber } from '../messages/message.repository.ts';
import type { MessageRow, Template } from '../messages/message.ts';
import { messageEvents } from '../messages/message-events.ts';
import { reserveBudget } from '../prices/budget.ts';
import type { RateCard } from '../prices/rate-card.ts';
import { beginSession } from '../sessions/session.repository.ts';
import { requireTemplate } from '../templates/require-template.ts';
import { findTemplates } from '../templates/template.repository.ts';
import { type AcceptanceRow, lockForAcceptance, lookAround } from './acceptance.repository.ts';
import { findUnprocessed, type Unprocessed } from './find-unprocessed.ts';

export type OutboundRequest = {
  /** Chosen by a caller that retries with the same id until it gets an answer; generated when not given. */
  readonly id?: string;
  readonly lead_id: string;
  /** Whether crm has confirmed the lead during this request: `lockOrCreate`. */
  readonly confirmed: boolean;
  readonly source: Exclude<Message['source'], 'lead'>;
  readonly author?: MessageAuthor | null;
  /** Null: the message is the template. */
  readonly body: string | null;
  readonly template?: Template | undefined;
  readonly metadata?: Metadata;
  /** The message is rejected if the lead wrote after this time. */
  readonly unless_reply_after?: Date | undefined;
  /** From this moment on the message is not sent. */
  readonly expires_at?: Date | undefined;
  /** Until when crm says that the AI is paused. The conversation may not know it yet. */
  readonly aiPausedUntil?: Date | null;
  /** The message only says that a person will answer: the lead still waits, and the AI is paused after it. */
  readonly handsOver?: boolean;
  /** What messages cost. Only a store with a budget needs it. */
  readonly rateCard: RateCard | undefined;
  /** The lead's phone. Without it, an unprocessed message counts only if the channel knows the lead by another id. */
  readonly phone?: string | undefined;
};

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
  const { id, confirmed } = request;
  const locking = lockOrCreate(sql, storeId, request.lead_id, confirmed, lockForAcceptance);
  // Pipelined: PostgreSQL runs them in this order, so the lock is held when the second one reads. A conversation that must
  // be created is locked later.
  if (confirmed) await locking;
  const [conversation, around] = await Promise.all([locking, lookAround(sql, storeId)]);
  // The row's spelling of the id, because the workflow id is derived from it.
  const { lead_id, channel, settings } = conversation;
  const accepted = id && (await findMessage(sql, storeId, id));
  const isExpired = request.expires_at !== undefined && request.expires_at <= conversation.now;
  if (accepted) return { message: isExpired ? await cancelExpired(sql, storeId, accepted) : accepted };

  if (isExpired) throw new AppError('message_expired');
  assertConnected(channel);
  const { body, kind } = await contentOf(sql, storeId, channel, request);
  const isStoppable = needsConsent(request.source, settings.opt_out_stops_api);
  const isConditional = isStoppable || request.unless_reply_after !== undefined;
  const mayHave = isConditional && around.has_unprocessed;
  const unprocessed = mayHave ? await findUnprocessed(sql, conversation, request.phone) : nothing;
  if (isStoppable) assertNotOptedOut(conversation, unprocessed);
  if (request.source === 'ai') assertNotPaused(request, conversation);
  assertNoReply(request, conversation, unprocessed);
  const { source, handsOver = false } = request;
  const pausesAi = source === 'seller' || handsOver || (source === 'api' && settings.api_pauses_ai);
  const { number, at, sessionId, delivering } = await takeNumber(sql, storeId, lead_id, source, {
    answers: !handsOver,
    pausesAiMinutes: pausesAi ? settings.ai_pause_minutes : null,
  });
  const isOpen = isWindowOpen(replyWindowMsOf(channel), conversation.last_inbound_at, at);
  if (!request.template && !isOpen) {
    throw new AppError('messaging_window_closed');
  }
  const budget = settings.monthly_budget;
  const reserved =
    budget === null
      ? undefined
      : await reserveBudget(
          sql,
          storeId,
          { rateCard: request.rateCard, budget },
          {
            ...{ source, handsOver, at, phone: conversation.wa_id ?? conversation.phone ?? request.phone },
            category: await categoryOf(sql, storeId, channel, request, isOpen),
          },
        );
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

/** What is stored of the message. A template whose text is not known has none. */
async function contentOf(
  sql: TransactionSql,
  storeId: string,
  channel: AcceptingChannel,
  { body, template }: OutboundRequest,
): Promise<{ readonly body: string; readonly kind: 'text' | 'template' }> {
  if (body !== null || !template) return { body: body ?? '', kind: 'text' };
  if (!channel.has_templates) return { body: '', kind: 'template' };
  const known = await requireTemplate(sql, storeId, channel.id, template);
  return { body: renderTemplate(known, template.components), kind: 'template' };
}

/** What the channel will probably bill the message as. A template of which no category is known may be of the dearest one. */
async function categoryOf(
  sql: TransactionSql,
  storeId: string,
  channel: AcceptingChannel,
  { body, template }: OutboundRequest,
  isOpen: boolean,
): Promise<string> {
  if (!template || (body !== null && isOpen)) return 'service';
  const known = await findTemplates(sql, storeId, channel.id, template.name);
  const category = known.find(({ language }) => language === template.language)?.category ?? 'unknown';
  return category === 'unknown' ? 'marketing' : category;
}

/** Cancels a message that is still `queued`. The caller holds the conversation's lock. */
async function cancelExpired(sql: TransactionSql, storeId: string, accepted: MessageRow): Promise<MessageRow> {
  if (accepted.status !== 'queued') return accepted;
  const { message, entries } = await saveCancelled(sql, storeId, accepted, expired);
  // The messages behind it waited for it.
  appendOutboxWithCommit(sql, storeId, [...entries, wakeDelivery(storeId, 'message_settled')]);
  return message;
}

function assertNotPaused({ aiPausedUntil = null }: OutboundRequest, { ai_paused_until, now }: AcceptanceRow): void {
  if ([aiPausedUntil, ai_paused_until].some((until) => until !== null && until > now)) throw new AppError('ai_paused');
}

function assertConnected(channel: AcceptingChannel | null): asserts channel is AcceptingChannel {
  if (!channel)
    throw new AppError('channel_not_connected', { detail: 'The store has no messaging channel. Connect one.' });
  if (channel.status !== 'connected') {
    const detail = 'The messaging channel needs attention. Its `reason` in `GET /store` says why: repair it.';
    throw new AppError('channel_not_connected', { detail });
  }
}

const nothing: Unprocessed = { writtenAt: [], wishes: [] };

function assertNotOptedOut(conversation: ConversationRow, { wishes }: Unprocessed): void {
  let columns: OptOutColumns = conversation;
  for (const wish of wishes) {
    const { optedOut, wishes: opt_out_wishes } = withWish(columns, wish);
    columns = { opted_out_at: optedOut ? (columns.opted_out_at ?? wish.at) : null, opt_out_wishes };
  }
  if (columns.opted_out_at) throw new AppError('lead_opted_out');
}

function assertNoReply(
  { unless_reply_after: after }: OutboundRequest,
  { last_inbound_at }: ConversationRow,
  { writtenAt }: Unprocessed,
): void {
  if (after === undefined) return;
  if (last_inbound_at && last_inbound_at > after) throw new AppError('lead_replied');
  if (writtenAt.some((at) => at > after)) throw new AppError('lead_replied');
}
