import type { updateAssistantSettings as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { assertPrices } from '../prices/budget.ts';
import { saveSettings } from './save-settings.ts';

export const updateSettings =
  ({ database, prices }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    assertPrices(prices, body.ai_daily_budget, '#/ai_daily_budget');
    return await database.write(context, (sql) => saveSettings(sql, context.storeId, body, prices));
  };
