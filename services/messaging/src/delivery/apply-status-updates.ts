import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, type EventEntry } from '@mostrador/kit/delivery/outbox';
import { countInteraction } from '../conversations/conversation.repository.ts';
import { type MessageRow, type MessageState, mergeStatusUpdate, type StatusUpdate } from '../messages/message.ts';
import { recordResponse } from '../sessions/session.repository.ts';
import { hasQueued, releaseHeld } from './delivery.repository.ts';
import { clearWatchdog, findStatusUpdates, saveProviderId, saveState } from './status-update.repository.ts';
import { wakeDelivery } from './wake-delivery.ts';

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
  let after = message;
  for (const report of reports) after = { ...after, ...mergeStatusUpdate(after, report) };
  if (reports.length > 0 && !changed(message, after)) await clearWatchdog(sql, storeId, message.id);
  if (!changed(message, after)) return message;
  const held = message.status === 'unknown' && (await hasQueued(sql, storeId, message.lead_id));
  await Promise.all([
    saveState(sql, storeId, message.id, stateOf(after)),
    held && releaseHeld(sql, storeId, message.lead_id),
    !message.sent_at && after.sent_at && countInteraction(sql, storeId, message.lead_id),
    !message.sent_at && after.sent_at && recordResponse(sql, storeId, message),
    appendOutbox(sql, storeId, [
      ...eventsOf(message, after),
      ...(held ? [wakeDelivery(message.lead_id, 'message_settled')] : []),
    ]),
  ]);
  return after;
}

/** Stores the provider's id of a message and applies the status updates that arrived under that id before. */
export async function adoptProviderId(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  { channelId, providerMessageId }: { channelId: string; providerMessageId: string },
): Promise<MessageRow> {
  const [reports] = await Promise.all([
    findStatusUpdates(sql, storeId, channelId, providerMessageId),
    saveProviderId(sql, storeId, message.id, providerMessageId),
  ]);
  const known = { ...message, provider_message_id: message.provider_message_id ?? providerMessageId };
  return await applyStatusUpdates(sql, storeId, known, reports);
}

const stateOf = ({ status, error_code, error_detail, sent_at, delivered_at, read_at }: MessageRow): MessageState => ({
  status,
  error_code,
  error_detail,
  sent_at,
  delivered_at,
  read_at,
});

const changed = (before: MessageRow, after: MessageRow): boolean =>
  JSON.stringify(stateOf(before)) !== JSON.stringify(stateOf(after));

/** The events of a message that went from one state to another. */
function eventsOf(before: MessageRow, after: MessageRow): EventEntry[] {
  const about = { message_id: after.id, lead_id: after.lead_id };
  const facts: EventEntry[] = [];
  if (!before.sent_at && after.sent_at) {
    facts.push({ kind: 'event', type: 'messaging.message.sent', data: { ...about, source: after.source } });
  }
  if (before.status === after.status) return facts;
  if (after.status === 'delivered' || after.status === 'read') {
    const data = { ...about, status: after.status };
    facts.push({ kind: 'event', type: 'messaging.message.status_changed', data });
  }
  if (after.status === 'failed') {
    const data = { ...about, source: after.source, code: after.error_code ?? 'unspecified' };
    facts.push({ kind: 'event', type: 'messaging.message.failed', data });
  }
  return facts;
}
