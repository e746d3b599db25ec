import { isDeepStrictEqual } from 'node:util';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { MessageRow } from './message.ts';
import { saveChanged } from './message-change.repository.ts';
import { type ChangeRow, withChanges } from './message-change.ts';
import { messageEvents } from './message-events.ts';

/**
 * Applies the stored changes of a message, and writes its event when something has changed, unless it is `silent`. The
 * caller holds the conversation's lock. Returns the message as it is now.
 */
export async function applyChanges(
  sql: TransactionSql,
  storeId: string,
  message: MessageRow,
  changes: readonly ChangeRow[],
  { silent = false }: { readonly silent?: boolean } = {},
): Promise<MessageRow> {
  const { body, body_truncated, reactions, edited_at, revoked_at } = message;
  const after = withChanges(message, changes);
  if (isDeepStrictEqual(after, { body, body_truncated, reactions, edited_at, revoked_at })) return message;
  const saved = await saveChanged(sql, storeId, message.id, after);
  if (!silent) await appendOutbox(sql, storeId, messageEvents.updated(message, saved));
  return saved;
}
