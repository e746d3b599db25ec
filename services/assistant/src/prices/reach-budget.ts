import type { AssistantSettings } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import { toAiBudget } from './budget.ts';
import { markReached } from './model-day.repository.ts';
import type { PriceList } from './price-list.ts';

/** Keeps that a call was refused because the budget of today is used up, and tells the store once a day. */
export async function reachBudget(
  sql: TransactionSql,
  storeId: string,
  settings: AssistantSettings,
  prices: PriceList | undefined,
): Promise<void> {
  const { isNew, ...today } = await markReached(sql, storeId);
  if (!isNew) return;
  const { reached_at: _, ...data } = toAiBudget(settings, today, prices);
  appendOutboxWithCommit(sql, storeId, [
    { kind: 'feed', type: 'assistant.budget_reached', entityId: storeId, etag: null, data, object: undefined },
  ]);
}
