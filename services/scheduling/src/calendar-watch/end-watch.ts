import type { TransactionSql } from '@mostrador/kit/database/database';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import { readProviders } from '../calendars/providers.ts';
import { deleteWatch } from './watch.repository.ts';

/** Forgets all that was read of a calendar. Returns what ends its workflow. */
export async function endWatch(
  sql: TransactionSql,
  storeId: string,
  { id, provider }: Pick<ConnectionRow, 'id' | 'provider'>,
): Promise<OutboxEntry[]> {
  if (!readProviders.includes(provider)) return [];
  await deleteWatch(sql, storeId, id);
  return [wakeWorkflow('calendarWatch', id, 'disconnected')];
}
