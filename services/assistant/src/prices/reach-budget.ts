import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import { findSettings } from '../settings/settings.repository.ts';
import { limitsOf, nearOf, reachedOf, toAiBudget } from './budget.ts';
import type { Use } from './model-call.repository.ts';
import { lockToday, recordLook } from './model-day.repository.ts';
import type { PriceList } from './price-list.ts';

type Cause = {
  /** What a call may take that was refused because the limits of the day leave no room for it. */
  readonly refused?: Use;
  /** Other limits hold now. A refusal is told again, and 80 percent when it is less now. */
  readonly isChanged?: boolean;
};

/**
 * Looks at what today has used of its limits, and tells the store of 80 and of 100 percent, each once. Belongs into the
 * transaction that counts a call or its cost and learns that a limit may be reached (`mayReach`), that counts a refusal, or
 * that changes the limits.
 */
export async function reachBudget(
  sql: TransactionSql,
  storeId: string,
  prices: PriceList | undefined,
  { refused, isChanged = false }: Cause = {},
): Promise<void> {
  const { told_percent, near_calls, near_micros, near_tokens, reached_at, ...today } = await lockToday(sql, storeId);
  // Not those for which the call was made or refused: they may have changed.
  const settings = await findSettings(sql, storeId);
  const limits = limitsOf(settings);
  const near = nearOf(limits);
  const reached = reachedOf(limits, today, refused);
  const percent = reached?.percent ?? 0;
  const told = isChanged ? percent : Math.max(told_percent, percent);
  const isRefused = percent === 100;
  const isOther = near.calls !== near_calls || near.micros !== near_micros || near.tokens !== near_tokens;
  if (isChanged || isRefused || isOther || told !== told_percent) {
    const since = isChanged ? null : reached_at;
    const look = { day: today.day, told, near, reached: isRefused ? (since ?? ('now' as const)) : since };
    sql.withCommit(recordLook(sql, storeId, look));
  }
  if (!reached || percent <= told_percent) return;
  const data = { ...reached, ...toAiBudget(settings, today, prices) };
  appendOutboxWithCommit(sql, storeId, [
    { kind: 'feed', type: 'assistant.budget_reached', entityId: storeId, etag: null, data, object: undefined },
  ]);
}
