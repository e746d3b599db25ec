import type { switchStoreAi as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { assertPrices } from '../prices/budget.ts';
import { saveSettings } from '../settings/save-settings.ts';
import { readStoreAi } from './read-store-ai.ts';

export const switchStoreAi =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { database, prices } = dependencies;
    const { ai, most_calls, most_spent, most_tokens, confirm } = body;
    assertPrices(prices, most_spent, '#/most_spent');
    const changes = {
      ...(ai !== undefined && { ai }),
      ...(most_calls !== undefined && { ai_daily_calls: most_calls }),
      ...(most_spent !== undefined && { ai_daily_budget: most_spent }),
      ...(most_tokens !== undefined && { ai_daily_tokens: most_tokens }),
      ...(confirm !== undefined && { ai_confirm: confirm }),
    };
    await database.write(context, (sql) => saveSettings(sql, context.storeId, changes, prices));
    return await readStoreAi(dependencies, context);
  };
