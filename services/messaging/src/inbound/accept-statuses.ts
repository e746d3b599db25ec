import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import type { ReceivedStatusUpdate } from '../channels/channel-provider.ts';
import { afterUpdates, eventsOf } from '../delivery/apply-status-updates.ts';
import {
  clearWatchdogs,
  findAllStatusUpdates,
  insertStatusUpdates,
  toStatusUpdate,
} from '../delivery/status-update.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { isSent, type MessageRow } from '../messages/message.ts';
import { withAmount } from '../prices/rate-card.ts';
import { lockFreeConversations, lockFreeProviderMessages } from './accept-many.repository.ts';
import { findLeadsOf, findOutbound, saveArrivals } from './accept-statuses.repository.ts';

/**
 * Applies status updates of one channel in one transaction, with a few statements for all of them. It takes what is plain:
 * the only update of a message, which was sent and now arrives or is read, while nothing else holds it and no budget changes.
 * Two updates of a message have an event each, so they are applied in turn. `applyReceivedStatus` applies what is left one by
 * one, with the same outcome. Returns the updates that it took.
 */
export async function acceptStatuses(
  { database, relay, rateCard }: Pick<Dependencies, 'database' | 'relay' | 'rateCard'>,
  scope: StoreScope,
  channelId: string,
  updates: readonly ReceivedStatusUpdate[],
): Promise<ReadonlySet<ReceivedStatusUpdate>> {
  const byMessage = Map.groupBy(updates, ({ providerMessageId }) => providerMessageId);
  const plain = updates.filter((one) => isPlain(one) && byMessage.get(one.providerMessageId)?.length === 1);
  if (plain.length < 2) return new Set();
  const { storeId } = scope;
  const taken = await database.write(scope, async (sql) => {
    const messages = await takeFree(sql, storeId, channelId, plain);
    if (messages.length === 0) return new Set<string>();
    const ids = new Set(messages.map(({ provider_message_id }) => provider_message_id));
    const priced = plain
      .filter(({ providerMessageId }) => ids.has(providerMessageId))
      .map((one) => withAmount(rateCard, one));
    return await apply(sql, storeId, channelId, { messages, updates: priced });
  });
  if (taken.size > 0) relay.nudge(['event', 'feed']);
  return new Set(plain.filter(({ providerMessageId }) => taken.has(providerMessageId)));
}

const isPlain = ({ status, error }: ReceivedStatusUpdate): boolean => status !== 'failed' && error === undefined;

/** A message that was sent, and whose updates only say that it arrived. */
const isArriving = ({ status, sent_at, error_code, budget_micros }: MessageRow): boolean =>
  isSent(status) && sent_at !== null && error_code === null && budget_micros === null;

/** Locks what nothing else holds, and reads it. */
async function takeFree(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  updates: readonly ReceivedStatusUpdate[],
): Promise<readonly MessageRow[]> {
  const providerMessageIds = [...new Set(updates.map(({ providerMessageId }) => providerMessageId))];
  const free = [...(await lockFreeProviderMessages(sql, storeId, { channelId, providerMessageIds }))];
  const leadIds = await findLeadsOf(sql, storeId, channelId, free);
  // Pipelined: PostgreSQL runs them in this order, so the locks are held when the messages are read.
  const [conversations, found] = await Promise.all([
    lockFreeConversations(sql, storeId, leadIds),
    findOutbound(sql, storeId, channelId, free),
  ]);
  const told = new Map(updates.map(({ providerMessageId, customer }) => [providerMessageId, customer]));
  return found.filter((message) => {
    const conversation = conversations.get(message.lead_id);
    const customer = told.get(message.provider_message_id ?? '');
    // One that tells more of who the customer is changes more than the message.
    const isKnown = !customer || (customer.waId === conversation?.wa_id && customer.userId === conversation?.user_id);
    return conversation !== undefined && isKnown && isArriving(message);
  });
}

type Arriving = { readonly messages: readonly MessageRow[]; readonly updates: readonly ReceivedStatusUpdate[] };

/** Returns the provider's ids of the messages whose updates it applied. */
async function apply(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  { messages, updates }: Arriving,
): Promise<ReadonlySet<string>> {
  const ids = messages.map(({ provider_message_id }) => provider_message_id as string);
  const [, rows] = await Promise.all([
    insertStatusUpdates(sql, storeId, channelId, updates),
    findAllStatusUpdates(sql, storeId, channelId, ids),
  ]);
  const told = Map.groupBy(rows, ({ provider_message_id }) => provider_message_id);
  const taken = messages.flatMap((message) => {
    const reports = (told.get(message.provider_message_id as string) ?? []).map(toStatusUpdate);
    // An update with an error came before.
    return reports.every(({ error }) => error === undefined) ? [{ message, next: afterUpdates(message, reports) }] : [];
  });
  const changed = taken.filter(({ message, next }) => next !== message);
  const before = new Map(changed.map(({ message }) => [message.id, message]));
  const saved =
    changed.length > 0
      ? await saveArrivals(
          sql,
          storeId,
          changed.map(({ next }) => next),
        )
      : [];
  const unchanged = taken.filter(({ message, next }) => next === message).map(({ message }) => message.id);
  if (unchanged.length > 0) clearWatchdogs(sql, storeId, unchanged);
  appendOutboxWithCommit(
    sql,
    storeId,
    saved.flatMap((row) => eventsOf(before.get(row.id) as MessageRow, row)),
  );
  return new Set(taken.map(({ message }) => message.provider_message_id as string));
}
