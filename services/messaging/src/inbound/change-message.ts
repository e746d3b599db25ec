import type { Sql, StoreScope } from '@mostrador/kit/database/database';
import type { MessageChange } from '../channels/channel-provider.ts';
import { findLeadsByIdentity } from '../conversations/conversation.repository.ts';
import { lockMessage } from '../delivery/lock-message.ts';
import { lockProviderMessage } from '../delivery/status-update.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyChanges } from '../messages/apply-changes.ts';
import { findTarget, forgetEdits, listChanges, saveChange } from '../messages/message-change.repository.ts';
import { toChangeRow } from '../messages/message-change.ts';
import { storedIdOf } from '../messages/stored-id.repository.ts';

/**
 * Stores a reaction, an edit or a deletion, and applies it to its message, in a transaction of its own. Repeats and any
 * order are safe. When the message is not known yet, the transaction that stores the message applies the change.
 */
export async function changeMessage(
  { database, relay }: Pick<Dependencies, 'database' | 'relay'>,
  scope: StoreScope,
  channelId: string,
  change: MessageChange,
): Promise<void> {
  const { storeId } = scope;
  await database.write(scope, async (sql) => {
    const targetId = await targetIdOf(sql, storeId, channelId, change);
    const target = { channelId, providerMessageId: targetId };
    await lockProviderMessage(sql, storeId, channelId, targetId);
    await saveChange(sql, storeId, target, toChangeRow(change));
    if (change.kind !== 'reaction') await forgetEdits(sql, storeId, target);
    const found = await findTarget(sql, storeId, target);
    if (!found) return;
    const { message } = await lockMessage(sql, storeId, found);
    await applyChanges(sql, storeId, message, await listChanges(sql, storeId, target));
  });
  relay.nudge();
}

/** The id under which the changed message is stored, if the customer has it. */
async function targetIdOf(sql: Sql, storeId: string, channelId: string, change: MessageChange): Promise<string> {
  const { targetId, customer } = change;
  if (!customer) return targetId;
  const { byWaId, byUserId } = await findLeadsByIdentity(sql, storeId, customer);
  const leadId = byWaId ?? byUserId;
  return leadId === null ? targetId : await storedIdOf(sql, storeId, { leadId, channelId }, targetId);
}
