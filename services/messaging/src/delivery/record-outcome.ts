import type { TransactionSql } from '@mostrador/kit/database/database';
import { type ChannelRow, markChannelRefused, pauseChannel } from '../channels/channel.repository.ts';
import type { Accepted, ChannelError } from '../channels/channel-provider.ts';
import { providerOf } from '../channels/providers.ts';
import { lockConversation } from '../conversations/conversation.repository.ts';
import { isSettled, type MessageRow } from '../messages/message.ts';
import { adoptProviderId, applyStatusUpdates } from './apply-status-updates.ts';
import {
  type Attempt,
  isOwn,
  markUnknown,
  recordNotMade,
  recordNotSent,
  saveWaId,
  spendPair,
  watch,
} from './attempt.repository.ts';
import type { DeliveryLimits } from './limits.ts';
import { delayAfter, delayWhileBlocked } from './next-move.ts';
import { pairRate } from './rates.ts';
import { findProviderMessageId, lockProviderMessage, readMessage } from './status-update.repository.ts';

/** An attempt that was taken up, with everything that it needs. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly message: MessageRow;
  readonly channel: ChannelRow;
  readonly to: string;
  readonly asTemplate: boolean;
  /** This attempt's number. */
  readonly attempts: number;
};

/** What became of an attempt. `closed`: it was not made, for the channel's circuit had closed since it was taken up. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly accepted: Accepted }
  | { readonly kind: 'failed'; readonly error: ChannelError }
  | { readonly kind: 'not_called'; readonly blockedForMs: number };

/** Records what became of an attempt. Returns the message's id when those who wait for its outcome may be told. */
export async function recordOutcome(
  sql: TransactionSql,
  claimed: Claimed,
  outcome: Outcome,
  limits: DeliveryLimits,
): Promise<string | undefined> {
  const { attempt, message } = claimed;
  if (outcome.kind === 'accepted') return await recordAccepted(sql, claimed, outcome.accepted, limits);
  await lockConversation(sql, attempt.storeId, message.lead_id);
  // Somebody else has gone on, and knows better.
  if (!(await isOwn(sql, attempt))) return undefined;
  if (outcome.kind === 'not_called') {
    await recordNotMade(sql, attempt, delayWhileBlocked(outcome.blockedForMs));
    return undefined;
  }
  return await recordFailure(sql, claimed, outcome.error, limits);
}

/** That it was accepted is true whoever holds the lease by now, and whatever was thought of it meanwhile. */
async function recordAccepted(
  sql: TransactionSql,
  { attempt: { storeId, id }, message: { lead_id }, channel }: Claimed,
  { providerMessageId, waId }: Accepted,
  { noStatusAfterMs }: DeliveryLimits,
): Promise<string | undefined> {
  // Sent together, run in this order: the message is read when both locks are held.
  const [, conversation, before] = await Promise.all([
    lockProviderMessage(sql, storeId, channel.id, providerMessageId),
    lockConversation(sql, storeId, lead_id),
    readMessage(sql, storeId, id),
  ]);
  const sent = await applyStatusUpdates(sql, storeId, before, [{ status: 'sent', at: new Date() }]);
  const fresh = before.status !== 'sent' && sent.status === 'sent';
  const [known] = await Promise.all([
    adoptProviderId(sql, storeId, sent, { channelId: channel.id, providerMessageId }),
    spendPair(sql, storeId, lead_id, pairRate(channel)),
    waId && conversation?.wa_id === null && saveWaId(sql, storeId, lead_id, waId),
    // It goes out before anything that a report which is there already leads to.
    fresh && providerOf(channel).reportsStatus && watch(sql, storeId, id, noStatusAfterMs),
  ]);
  return isSettled(known.status) ? id : undefined;
}

async function recordFailure(
  sql: TransactionSql,
  claimed: Claimed,
  error: ChannelError,
  limits: DeliveryLimits,
): Promise<string | undefined> {
  const { attempt, message, channel, attempts } = claimed;
  const { storeId } = attempt;
  switch (error.kind) {
    case 'not_sent': {
      if (isTooOld(message, limits)) return await fail(sql, storeId, message.id, error);
      await recordNotSent(sql, attempt, error, delayAfter(error, attempts));
      return undefined;
    }
    case 'throttled': {
      const delayMs = delayAfter(error, attempts);
      if (error.scope === 'number') await pauseChannel(sql, storeId, channel.id, delayMs);
      if (isTooOld(message, limits)) return await fail(sql, storeId, message.id, error);
      await recordNotSent(sql, attempt, error, delayMs);
      return undefined;
    }
    case 'channel': {
      // The channel first, as whoever connects it anew does.
      await markChannelRefused(sql, storeId, channel, error);
      await recordNotSent(sql, attempt, error, 0);
      return undefined;
    }
    case 'refused':
      return await fail(sql, storeId, message.id, error);
    case 'ambiguous':
      return await recordUnknown(sql, storeId, message, channel, error, limits);
  }
}

const isTooOld = ({ created_at }: MessageRow, { giveUpAfterMs }: DeliveryLimits): boolean =>
  Date.now() - created_at.getTime() >= giveUpAfterMs;

/** It will not be sent any more. Returns the id. */
export async function fail(
  sql: TransactionSql,
  storeId: string,
  id: string,
  { code, detail }: { readonly code: string; readonly detail: string },
): Promise<string> {
  const message = await readMessage(sql, storeId, id);
  await applyStatusUpdates(sql, storeId, message, [{ status: 'failed', at: new Date(), error: { code, detail } }]);
  return id;
}

/**
 * Nobody knows whether the channel took it, unless the provider has reported on it already. `channel` is the one it was
 * sent over.
 */
export async function recordUnknown(
  sql: TransactionSql,
  storeId: string,
  message: Pick<MessageRow, 'id' | 'lead_id'>,
  channel: ChannelRow | undefined,
  error: { readonly code: string; readonly detail: string },
  { unsettledAfterMs, leaseMs }: DeliveryLimits,
): Promise<string | undefined> {
  await markUnknown(sql, storeId, message.id, error, unsettledAfterMs);
  if (!channel) return undefined;
  await spendPair(sql, storeId, message.lead_id, pairRate(channel));
  const providerMessageId = await findProviderMessageId(sql, storeId, channel.id, message.id, 2 * leaseMs);
  if (providerMessageId === undefined) return undefined;
  const row = await readMessage(sql, storeId, message.id);
  const known = await adoptProviderId(sql, storeId, row, { channelId: channel.id, providerMessageId });
  return isSettled(known.status) ? message.id : undefined;
}
