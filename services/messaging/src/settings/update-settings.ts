import type { updateMessagingSettings as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { recountBudget } from '../prices/budget.repository.ts';
import { budgetReached } from '../prices/budget.ts';
import { saveSettings } from './settings.repository.ts';

export const updateSettings =
  ({ database, relay, rateCard }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { monthly_budget } = body;
    if (monthly_budget != null && !rateCard) {
      const detail = 'needs a rate file: set WHATSAPP_RATES_FILE of messaging';
      throw validationFailed([{ pointer: '#/monthly_budget', detail }]);
    }
    const { storeId } = context;
    const saved = await database.write(context, async (sql) => {
      const settings = await saveSettings(sql, storeId, body);
      if (monthly_budget != null) {
        const told = await recountBudget(sql, storeId, monthly_budget);
        const currency = rateCard?.currency ?? null;
        await appendOutbox(sql, storeId, budgetReached(storeId, { ...told, budget: monthly_budget, currency }));
      }
      return settings;
    });
    relay.nudge();
    return saved;
  };
