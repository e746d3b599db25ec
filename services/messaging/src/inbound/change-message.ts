import type { Sql, StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { CustomerIds, MessageChange } from '../channels/channel-provider.ts';
import { findLeadsByIdentity } from '../conversations/conversation.repository.ts';
import { lockProviderMessages } from '../delivery/batch.repository.ts';
import { lockMessage } from '../delivery/lock-message.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyChanges } from '../messages/apply-changes.ts';
import { findTarget, forgetEdits, listChanges, saveChange } from '../messages/message-change.repository.ts';
import { toChangeRow } from '../messages/message-change.ts';
import { findStoredIds } from '../messages/stored-id.repository.ts';

type Tools = Pick<Dependencies, 'database' | 'relay'>;

/**
 * Stores a reaction, an edit or a deletion, and applies it to its message, in a transaction of its own. Repeats and any
 * order are safe. When the message is not known yet, the transaction that stores the message applies the change.
 */
export async function changeMessage(
  { database, relay }: Tools,
  scope: StoreScope,
  channelId: string,
  change: MessageChange,
): Promise<void> {
  await database.write(scope, (sql) => saveAndApply(sql, scope.storeId, channelId, [change]));
  relay.nudge();
}

/**
 * As `changeMessage`, of changes of one customer's conversation that came with the past. No event tells of them, unless
 * their message is not of the past.
 */
export async function changePast(
  { database, relay }: Tools,
  scope: StoreScope,
  channelId: string,
  changes: readonly MessageChange[],
): Promise<void> {
  await database.write(scope, (sql) => saveAndApply(sql, scope.storeId, channelId, changes, { fromHistory: true }));
  relay.nudge(['event', 'feed']);
}

async function saveAndApply(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  changes: readonly MessageChange[],
  { fromHistory = false }: { readonly fromHistory?: boolean } = {},
): Promise<void> {
  const [customer, named] = [changes[0]?.customer, changes.map(({ targetId }) => targetId)];
  const stored = customer && (await storedIdsOf(sql, storeId, channelId, customer, named));
  const idOf = ({ targetId }: MessageChange) => stored?.get(targetId) ?? targetId;
  const targets = [...new Set(changes.map(idOf))].map((providerMessageId) => ({ channelId, providerMessageId }));
  await lockProviderMessages(sql, storeId, targets);
  for (const change of changes) {
    const target = { channelId, providerMessageId: idOf(change) };
    await saveChange(sql, storeId, target, toChangeRow(change, fromHistory));
    if (change.kind !== 'reaction') await forgetEdits(sql, storeId, target);
  }
  for (const target of targets) {
    const found = await findTarget(sql, storeId, target);
    if (!found) continue;
    const { message } = await lockMessage(sql, storeId, found);
    const silent = fromHistory && message.from_history;
    await applyChanges(sql, storeId, message, await listChanges(sql, storeId, target), { silent });
  }
}

/** The ids under which the changed messages are stored, by those that the channel told, if the customer has them. */
async function storedIdsOf(
  sql: Sql,
  storeId: string,
  channelId: string,
  customer: CustomerIds,
  told: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { byWaId, byUserId } = await findLeadsByIdentity(sql, storeId, customer);
  const leadId = byWaId ?? byUserId;
  return leadId === null ? new Map() : await findStoredIds(sql, storeId, { leadId, channelId }, told);
}
