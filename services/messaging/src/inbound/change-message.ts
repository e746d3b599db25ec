import type { StoreScope } from '@mostrador/kit/database/database';
import type { MessageChange } from '../channels/channel-provider.ts';
import { lockMessage } from '../delivery/lock-message.ts';
import { lockProviderMessage } from '../delivery/status-update.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyChanges } from '../messages/apply-changes.ts';
import { findTarget, listChanges, saveChange } from '../messages/message-change.repository.ts';
import { toChangeRow } from '../messages/message-change.ts';

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
  const target = { channelId, providerMessageId: change.targetId };
  await database.write(scope, async (sql) => {
    await lockProviderMessage(sql, storeId, channelId, change.targetId);
    await saveChange(sql, storeId, target, toChangeRow(change));
    const found = await findTarget(sql, storeId, target);
    if (!found) return;
    const { message } = await lockMessage(sql, storeId, found);
    await applyChanges(sql, storeId, message, await listChanges(sql, storeId, target));
  });
  relay.nudge();
}
