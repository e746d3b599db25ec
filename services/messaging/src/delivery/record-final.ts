import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, type OutboxEntry } from '@mostrador/kit/outbox/outbox';
import type { ChannelRow } from '../channels/channel.repository.ts';
import type { ChannelError } from '../channels/channel-provider.ts';
import { isSettled, type MessageRow } from '../messages/message.ts';
import { messageEvents } from '../messages/message-events.ts';
import { settleBudget } from '../prices/budget.ts';
import { adoptProviderId, applyStatusUpdates } from './apply-status-updates.ts';
import { markUnknown, spendPair } from './attempt.repository.ts';
import type { DeliveryLimits } from './limits.ts';
import { pairRate } from './rates.ts';
import { findProviderMessageId, readMessage, saveState } from './status-update.repository.ts';

/** Marks a message as failed: it will not be sent. Returns its id. */
export async function fail(
  sql: TransactionSql,
  storeId: string,
  id: string,
  { code, detail, optOut }: Pick<ChannelError, 'code' | 'detail'> & Partial<Pick<ChannelError, 'optOut'>>,
): Promise<string> {
  const message = await readMessage(sql, storeId, id);
  const error = { code, detail, ...(optOut && { optOut }) };
  await applyStatusUpdates(sql, storeId, message, [{ status: 'failed', at: new Date(), error }]);
  return id;
}

/** The error of a message that was cancelled because its follow-up has expired. */
export const expired = {
  code: 'message_expired',
  detail: 'The channel had not accepted the message when its follow-up expired.',
};

/** The error of a message of the AI that was cancelled because a person has written, or has paused the AI. */
export const aiPaused = {
  code: 'ai_paused',
  detail: 'The AI was paused before the message left.',
};

/** Cancels a message that is `queued`. Returns the entries of its events, and the message. */
export async function saveCancelled(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  error: { readonly code: string; readonly detail: string } | null,
): Promise<{ message: MessageRow; entries: OutboxEntry[] }> {
  const { id, provider_message_id, sent_at, delivered_at, read_at, pricing } = message;
  // The error of an attempt that would have been retried no longer matters.
  const errors = { error_code: error?.code ?? null, error_detail: error?.detail ?? null };
  const state = {
    status: 'cancelled',
    ...errors,
    provider_message_id,
    sent_at,
    delivered_at,
    read_at,
    pricing,
  } as const;
  const [cancelled, ofBudget] = await Promise.all([
    saveState(sql, storeId, id, state),
    settleBudget(sql, storeId, message, state),
  ]);
  return { message: cancelled, entries: [...messageEvents.cancelled(cancelled), ...ofBudget] };
}

/**
 * Marks a message as `unknown`, unless a status update has already told its outcome. Returns the id when it has.
 * `channel` is the one that the attempt used.
 */
export async function recordUnknown(
  sql: TransactionSql,
  storeId: string,
  message: Pick<MessageRow, 'id' | 'lead_id'>,
  channel: ChannelRow | undefined,
  error: { readonly code: string; readonly detail: string },
  { unsettledAfterMs, leaseMs }: DeliveryLimits,
): Promise<string | undefined> {
  const unknown = await markUnknown(sql, storeId, message.id, error, unsettledAfterMs);
  const known = channel && (await findOutcome(sql, storeId, unknown, channel, 2 * leaseMs));
  if (known && isSettled(known.status)) return message.id;
  await appendOutbox(sql, storeId, messageEvents.unknown(known ?? unknown));
  return undefined;
}

/** Counts the attempt, which the provider may have counted. Returns the message after the updates that came before. */
async function findOutcome(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  channel: ChannelRow,
  attemptMs: number,
): Promise<MessageRow | undefined> {
  await spendPair(sql, storeId, message.lead_id, pairRate(channel));
  const providerMessageId = await findProviderMessageId(sql, storeId, channel.id, message.id, attemptMs);
  if (providerMessageId === undefined) return undefined;
  return await adoptProviderId(sql, storeId, message, { channelId: channel.id, providerMessageId });
}
