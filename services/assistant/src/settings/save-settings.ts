import type { AssistantSettings } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { PriceList } from '../prices/price-list.ts';
import { reachBudget } from '../prices/reach-budget.ts';
import { writeSettings } from './settings.repository.ts';

/** Writes the given members and returns all settings. Other limits of the day hold at once. */
export async function saveSettings(
  sql: TransactionSql,
  storeId: string,
  changes: Partial<AssistantSettings>,
  prices: PriceList | undefined,
): Promise<AssistantSettings> {
  const { settings, hasOtherLimits } = await writeSettings(sql, storeId, changes);
  if (hasOtherLimits) await reachBudget(sql, storeId, prices, { isChanged: true });
  return settings;
}
