import type { getChannelConnection as operation } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth, toConnectionReason } from '@mostrador/kit/resilience/wait-reason';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findLiveChannel, refusalOf } from '../channels/channel.repository.ts';
import { targetOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSettings } from '../settings/settings.repository.ts';

export const getChannelConnection =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await database.read(context, async (sql) => {
      const [channel, { opt_out_stops_api }] = await Promise.all([
        findLiveChannel(sql, context.storeId),
        findSettings(sql, context.storeId),
      ]);
      if (!channel) return { ...notConnected, opt_out_stops_api };
      const { provider, phone } = channel;
      const health = toConnectionHealth(channel.status, await findOutage(sql, targetOf(channel).origin));
      const reason = toConnectionReason(health, refusalOf(channel));
      return { provider, phone, opt_out_stops_api, status: health.status, reason };
    });

const notConnected = { provider: null, status: 'not_connected' as const, phone: null, reason: null };
