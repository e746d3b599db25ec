import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { AcceptingChannel } from '../channels/channel.repository.ts';
import type { ConversationRow } from '../conversations/conversation.repository.ts';
import { needsConsent, type OptOutColumns, withWish } from '../conversations/opt-out-state.ts';
import type { AcceptanceRow } from './acceptance.repository.ts';
import { findUnprocessed, type Unprocessed } from './find-unprocessed.ts';
import type { OutboundRequest } from './outbound-request.ts';

/** @throws AppError `channel_not_connected` */
export function assertConnected(channel: AcceptingChannel | null): asserts channel is AcceptingChannel {
  if (!channel)
    throw new AppError('channel_not_connected', { detail: 'The store has no messaging channel. Connect one.' });
  if (channel.status !== 'connected') {
    const detail = 'The messaging channel needs attention. Its `reason` in `GET /store` says why: repair it.';
    throw new AppError('channel_not_connected', { detail });
  }
}

/**
 * Refuses a message that the lead or a person does not want now. What was written and is not processed yet counts, too.
 *
 * @throws AppError `lead_opted_out`, `ai_paused` or `lead_replied`, checked in this order
 */
export async function assertWanted(
  sql: TransactionSql,
  request: OutboundRequest,
  conversation: AcceptanceRow,
  hasUnprocessed: boolean,
): Promise<void> {
  const isStoppable = needsConsent(request.source, conversation.settings.opt_out_stops_api);
  const isConditional = isStoppable || request.unless_reply_after !== undefined;
  const unprocessed =
    isConditional && hasUnprocessed ? await findUnprocessed(sql, conversation, request.phone) : nothing;
  if (isStoppable) assertNotOptedOut(conversation, unprocessed);
  if (request.source === 'ai') assertNotPaused(request, conversation, unprocessed);
  assertNoReply(request, conversation, unprocessed);
}

const nothing: Unprocessed = { writtenAt: [], wishes: [], pausesAi: false };

function assertNotOptedOut(conversation: ConversationRow, { wishes }: Unprocessed): void {
  let columns: OptOutColumns = conversation;
  for (const wish of wishes) {
    const { optedOut, wishes: opt_out_wishes } = withWish(columns, wish);
    columns = { opted_out_at: optedOut ? (columns.opted_out_at ?? wish.at) : null, opt_out_wishes };
  }
  if (columns.opted_out_at) throw new AppError('lead_opted_out');
}

function assertNotPaused(
  { aiPausedUntil = null }: OutboundRequest,
  { ai_paused_until, now }: AcceptanceRow,
  { pausesAi }: Unprocessed,
): void {
  if (pausesAi) throw new AppError('ai_paused');
  if ([aiPausedUntil, ai_paused_until].some((until) => until !== null && until > now)) throw new AppError('ai_paused');
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
