import type { switchStoreAi as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { assertPrices } from '../prices/budget.ts';
import { saveSettings } from '../settings/settings.repository.ts';
import { readStoreAi } from './read-store-ai.ts';

export const switchStoreAi =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { ai, most_calls, most_spent } = body;
    assertPrices(dependencies.prices, most_spent, '#/most_spent');
    const changes = {
      ...(ai !== undefined && { ai }),
      ...(most_calls !== undefined && { ai_daily_calls: most_calls }),
      ...(most_spent !== undefined && { ai_daily_budget: most_spent }),
    };
    await dependencies.database.write(context, (sql) => saveSettings(sql, context.storeId, changes));
    return await readStoreAi(dependencies, context);
  };
