import { isDeepStrictEqual } from 'node:util';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, type OutboxEntry } from '@mostrador/kit/outbox/outbox';
import type { StatusUpdate } from '../channels/channel-provider.ts';
import { changeOptOut } from '../conversations/change-opt-out.ts';
import { applyChanges } from '../messages/apply-changes.ts';
import { linkQuotesOf } from '../messages/link-quotes.ts';
import { type MessageRow, mergeStatusUpdate, pricingOf, type SavedState } from '../messages/message.ts';
import { listChanges } from '../messages/message-change.repository.ts';
import { messageEvents } from '../messages/message-events.ts';
import { settleBudget } from '../prices/budget.ts';
import { hasQueued, releaseHeld } from './delivery.repository.ts';
import type { Rate } from './rates.ts';
import { clearWatchdogs, findStatusUpdates, saveProviderId, saveSent, saveState } from './status-update.repository.ts';
import { wakeDelivery } from './wake-overdue.ts';

/**
 * Applies status updates to a message. Writes its events, the interaction and the response once it is sent, and a
 * wake-up for messages that it held back. The caller holds the conversation's lock. Returns the message as it is now.
 */
export async function applyStatusUpdates(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  reports: readonly StatusUpdate[],
): Promise<MessageRow> {
  const { after, entries } = await saveStatusUpdates(sql, storeId, message, reports);
  await appendOutbox(sql, storeId, entries);
  return after;
}

/**
 * As `applyStatusUpdates`, but leaves it to the caller to append the entries. With `pair`, a message that becomes sent is
 * counted against the pair's rate limit, too.
 */
export async function saveStatusUpdates(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  reports: readonly StatusUpdate[],
  pair?: Rate,
): Promise<{ after: MessageRow; entries: OutboxEntry[] }> {
  const optOuts = await optOutOf(sql, storeId, message, reports);
  const next = afterUpdates(message, reports);
  if (next === message) {
    if (reports.length > 0) clearWatchdogs(sql, storeId, [message.id]);
    return { after: message, entries: optOuts };
  }
  const held = message.status === 'unknown' && (await hasQueued(sql, storeId, message.lead_id));
  const counts = !message.sent_at && next.sent_at;
  const [after, , ofBudget] = await Promise.all([
    counts ? saveSent(sql, storeId, message, stateOf(next), pair) : saveState(sql, storeId, message.id, stateOf(next)),
    held && releaseHeld(sql, storeId, message.lead_id),
    settleBudget(sql, storeId, message, next),
  ]);
  const wakeUps = held ? [wakeDelivery(storeId, 'message_settled')] : [];
  return { after, entries: [...eventsOf(message, after), ...ofBudget, ...optOuts, ...wakeUps] };
}

/** Opts the lead out if the provider refused the message for it. Returns the events. */
async function optOutOf(
  sql: TransactionSql,
  storeId: string,
  { lead_id }: MessageRow,
  reports: readonly StatusUpdate[],
): Promise<OutboxEntry[]> {
  const refused = reports.findLast(({ error }) => error?.optOut);
  const scope = refused?.error?.optOut;
  if (!refused || !scope) return [];
  return await changeOptOut(sql, storeId, lead_id, { want: 'stop', scope, at: refused.at, source: 'channel_error' });
}

/**
 * Stores the provider's id of a message and applies what arrived under that id before: status updates, and changes such
 * as a reaction.
 */
export async function adoptProviderId(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  { channelId, providerMessageId }: { channelId: string; providerMessageId: string },
): Promise<MessageRow> {
  const isNew = message.provider_message_id === null;
  const [reports, changes, known = message, quotes] = await Promise.all([
    findStatusUpdates(sql, storeId, channelId, providerMessageId),
    isNew ? listChanges(sql, storeId, { channelId, providerMessageId }) : [],
    isNew ? saveProviderId(sql, storeId, message.id, providerMessageId) : undefined,
    isNew ? linkQuotesOf(sql, storeId, { leadId: message.lead_id, channelId }, [providerMessageId]) : [],
  ]);
  const after = await applyStatusUpdates(sql, storeId, known, reports);
  await appendOutbox(sql, storeId, quotes);
  // The updates that change more have events of their own.
  if (isNew && after === known) await appendOutbox(sql, storeId, messageEvents.updated(message, known));
  return changes.length > 0 ? await applyChanges(sql, storeId, after, changes) : after;
}

const stateOf = (row: MessageRow): SavedState => {
  const { status, error_code, error_detail, provider_message_id, sent_at, delivered_at, read_at, pricing } = row;
  return { status, error_code, error_detail, provider_message_id, sent_at, delivered_at, read_at, pricing };
};

/** The message after status updates, or the same object if they change nothing. Pure. */
export function afterUpdates(message: MessageRow, reports: readonly StatusUpdate[]): MessageRow {
  let next = message;
  for (const report of reports) next = { ...next, ...mergeStatusUpdate(next, report) };
  next = { ...next, pricing: pricingOf(message, reports) };
  return isDeepStrictEqual(stateOf(message), stateOf(next)) ? message : next;
}

/** The events of a message that went from one state to another. A late status update may change a time alone. */
export function eventsOf(before: MessageRow, after: MessageRow): OutboxEntry[] {
  const { status } = after;
  const isNew = before.status !== status;
  const events = [
    ...(!before.sent_at && after.sent_at ? messageEvents.sent(after) : []),
    ...(isNew && (status === 'delivered' || status === 'read') ? messageEvents.arrived(after, status) : []),
    ...(isNew && status === 'failed' ? messageEvents.failed(after) : []),
  ];
  return events.length > 0 ? events : messageEvents.updated(before, after);
}
