import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Blocked } from '@mostrador/kit/resilience/circuit';
import type { Outcome as AnyOutcome, RecordOutcome } from '@mostrador/kit/step/retry-engine';
import { pauseChannel } from '../channels/channel.repository.ts';
import type { Accepted, ChannelError } from '../channels/channel-provider.ts';
import { providerOf } from '../channels/providers.ts';
import { markChannelRefused } from '../channels/refusal.repository.ts';
import { asPhone } from '../identities/as-phone.ts';
import { applyChanges } from '../messages/apply-changes.ts';
import { linkQuotesOf } from '../messages/link-quotes.ts';
import { isSettled, type MessageRow } from '../messages/message.ts';
import { listChanges } from '../messages/message-change.repository.ts';
import { messageEvents } from '../messages/message-events.ts';
import { applyStatusUpdates, saveStatusUpdates } from './apply-status-updates.ts';
import { holdsLease, recordNotCalled, recordNotSent, saveWaId, spendPair, watch } from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import type { DeliveryLimits } from './limits.ts';
import { lockMessage } from './lock-message.ts';
import { delayAfter, delayWhileBlocked } from './next-move.ts';
import { pairRate } from './rates.ts';
import { fail, recordUnknown } from './record-final.ts';
import { findStatusUpdates, lockProviderMessage, saveProviderId } from './status-update.repository.ts';

export type Outcome = AnyOutcome<
  { readonly accepted: Accepted },
  { readonly error: ChannelError },
  { readonly blocked: Blocked }
>;

export type Recorded = {
  /** The message's id when waiting requests must be notified of its outcome. */
  readonly settled?: string | undefined;
  /** Statements that are under way. Those that come next need not wait for them, but the commit must. */
  readonly pending?: Promise<unknown>;
};

export const recordOutcome: RecordOutcome<Claimed, Outcome, Recorded, DeliveryLimits> = async (
  sql,
  claimed,
  outcome,
  limits,
) => {
  const { attempt } = claimed;
  if (outcome.kind === 'succeeded') return await recordAccepted(sql, claimed, outcome.accepted, limits);
  const { message } = await lockMessage(sql, attempt.storeId, claimed.message);
  // Another transaction has decided in the meantime.
  if (!(await holdsLease(sql, attempt))) return {};
  if (outcome.kind === 'not_called') {
    await recordNotCalled(sql, attempt, delayWhileBlocked(outcome.blocked.forMs), outcome.blocked.reason);
    return {};
  }
  return { settled: await recordFailure(sql, { ...claimed, message }, outcome.error, limits) };
};

/** Records an acceptance. It counts even when the lease has expired or the message has become `unknown`. */
async function recordAccepted(
  sql: TransactionSql,
  { attempt: { storeId, id }, message: claimed, channel, to }: Claimed,
  { providerMessageId, waId }: Accepted,
  { noStatusAfterMs }: DeliveryLimits,
): Promise<Recorded> {
  // Pipelined: PostgreSQL runs them in this order, so both locks are held when the message is read.
  const [, { conversation, message: before }, earlier, changes] = await Promise.all([
    lockProviderMessage(sql, storeId, channel.id, providerMessageId),
    lockMessage(sql, storeId, claimed),
    findStatusUpdates(sql, storeId, channel.id, providerMessageId),
    listChanges(sql, storeId, { channelId: channel.id, providerMessageId }),
  ]);
  const { lead_id } = before;
  const named = { ...before, provider_message_id: before.provider_message_id ?? providerMessageId };
  const pair = pairRate(channel);
  const accepted = [{ status: 'sent', at: new Date() } as const];
  const { after: sent, entries } = await saveStatusUpdates(sql, storeId, named, accepted, pair);
  const fresh = before.status !== 'sent' && sent.status === 'sent';
  const pending = Promise.all([
    appendOutbox(sql, storeId, entries),
    // A message that was sent already, as an operator said for example, is not saved with it.
    before.provider_message_id === null && sent === named && tellProviderId(sql, storeId, before, providerMessageId),
    before.provider_message_id === null &&
      tellQuotes(sql, storeId, { leadId: lead_id, channelId: channel.id }, providerMessageId),
    // `saveStatusUpdates` has counted a message that was not sent before.
    before.sent_at && spendPair(sql, storeId, lead_id, pair),
    // An id of the phone that the lead had when the attempt began is not kept. Nor is the number of a customer who has
    // hidden it: only a message of the customer links both.
    waId &&
      asPhone(to) !== null &&
      conversation?.wa_id === null &&
      conversation.user_id === null &&
      (conversation.phone ?? to) === to &&
      saveWaId(sql, storeId, lead_id, waId),
    fresh && providerOf(channel).reportsStatus && watch(sql, storeId, id, noStatusAfterMs),
  ]);
  if (earlier.length + changes.length === 0) return { settled: isSettled(sent.status) ? id : undefined, pending };
  await pending;
  // They clear the watchdog's time again.
  const known = await applyStatusUpdates(sql, storeId, sent, earlier);
  await applyChanges(sql, storeId, known, changes);
  return { settled: isSettled(known.status) ? id : undefined };
}

async function tellProviderId(
  sql: TransactionSql,
  storeId: string,
  before: MessageRow,
  providerMessageId: string,
): Promise<void> {
  const saved = await saveProviderId(sql, storeId, before.id, providerMessageId);
  if (saved) await appendOutbox(sql, storeId, messageEvents.updated(before, saved));
}

/** Links what quoted the message before its id was known. */
async function tellQuotes(
  sql: TransactionSql,
  storeId: string,
  place: { readonly leadId: string; readonly channelId: string },
  providerMessageId: string,
): Promise<void> {
  const entries = await linkQuotesOf(sql, storeId, place, [providerMessageId]);
  if (entries.length > 0) await appendOutbox(sql, storeId, entries);
}

async function recordFailure(
  sql: TransactionSql,
  claimed: Claimed,
  error: ChannelError,
  limits: DeliveryLimits,
): Promise<string | undefined> {
  const { attempt, message, channel } = claimed;
  const { storeId } = attempt;
  switch (error.kind) {
    case 'not_sent': {
      await recordNotSent(sql, attempt, error, delayAfter(error, attempt.number));
      return undefined;
    }
    case 'throttled': {
      const delayMs = delayAfter(error, attempt.number);
      if (error.scope === 'number') await pauseChannel(sql, storeId, channel.id, delayMs);
      await recordNotSent(sql, attempt, error, delayMs);
      return undefined;
    }
    case 'channel': {
      // Lock order: the channel first, as in `connectChannel`.
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
