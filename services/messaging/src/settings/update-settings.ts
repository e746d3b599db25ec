import type { updateMessagingSettings as operation } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { recountBudget } from '../prices/budget.repository.ts';
import { saveSettings } from './settings.repository.ts';

export const updateSettings =
  ({ database, rateCard }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { monthly_budget } = body;
    if (monthly_budget != null && !rateCard) {
      const detail = 'needs a rate file: set WHATSAPP_RATES_FILE of messaging';
      throw validationFailed([{ pointer: '#/monthly_budget', detail }]);
    }
    return await database.write(context, async (sql) => {
      const settings = await saveSettings(sql, context.storeId, body);
      if (monthly_budget != null) await recountBudget(sql, context.storeId);
      return settings;
    });
  };
