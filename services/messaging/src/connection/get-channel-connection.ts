import type { getChannelConnection as operation } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth, toConnectionReason } from '@mostrador/kit/resilience/wait-reason';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findLiveChannel, refusalOf } from '../channels/channel.repository.ts';
import { targetOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { findBudget } from '../prices/budget.repository.ts';
import { toBudget } from '../prices/budget.ts';
import { findSettings } from '../settings/settings.repository.ts';

export const getChannelConnection =
  ({ database, rateCard }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await database.read(context, async (sql) => {
      const [channel, { opt_out_stops_api }, used] = await Promise.all([
        findLiveChannel(sql, context.storeId),
        findSettings(sql, context.storeId),
        findBudget(sql, context.storeId),
      ]);
      const message_budget = used
        ? toBudget({
            budget: used.budget,
            spentMicros: used.spent_micros,
            at: used.now,
            currency: rateCard?.currency ?? null,
          })
        : null;
      if (!channel) return { ...notConnected, opt_out_stops_api, message_budget };
      const { provider, phone } = channel;
      const health = toConnectionHealth(channel.status, await findOutage(sql, targetOf(channel).origin));
      const reason = toConnectionReason(health, refusalOf(channel));
      return { provider, phone, opt_out_stops_api, message_budget, status: health.status, reason };
    });

const notConnected = { provider: null, status: 'not_connected' as const, phone: null, reason: null };
