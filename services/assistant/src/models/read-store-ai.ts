import type { StoreAi } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { toAiBudget } from '../prices/budget.ts';
import { findToday } from '../prices/model-day.repository.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { findConnections, toConnection } from './model-connection.repository.ts';

/** The AI as the people of the store see it. */
export async function readStoreAi(
  { database, prices }: Pick<Dependencies, 'database' | 'prices'>,
  context: StoreContext,
): Promise<StoreAi> {
  const [settings, rows, today] = await database.read(context, (sql) =>
    Promise.all([
      findSettings(sql, context.storeId),
      findConnections(sql, context.storeId),
      findToday(sql, context.storeId),
    ]),
  );
  const { ai, ai_confirm: confirm } = settings;
  const { reached_at } = today;
  const budget = { ...toAiBudget(settings, today, prices), reached_at: reached_at && toTimestamp(reached_at) };
  return { ai, connections: rows.map(toConnection), budget, confirm };
}
