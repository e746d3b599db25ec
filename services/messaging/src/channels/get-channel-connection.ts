import type { getChannelConnection as operation } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth } from '@mostrador/kit/resilience/wait-reason';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLiveChannel } from './channel.repository.ts';
import { targetOf } from './providers.ts';

export const getChannelConnection =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await database.read(context, async (sql) => {
      const channel = await findLiveChannel(sql, context.storeId);
      if (!channel) return notConnected;
      const { provider, status, phone } = channel;
      const outage = await findOutage(sql, targetOf(channel).origin);
      return { provider, phone, ...toConnectionHealth(status, outage) };
    });

const notConnected = { provider: null, status: 'not_connected' as const, phone: null, reason: null };
