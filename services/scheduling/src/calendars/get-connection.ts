import type { getCalendarConnection as operation } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth } from '@mostrador/kit/resilience/wait-reason';
import type { Handler } from '@mostrador/kit/rpc/server';
import { withReading } from '../calendar-watch/reading.ts';
import { findReading } from '../calendar-watch/watch.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSendingWindows } from '../followups/sending-windows.repository.ts';
import { findConnection } from './connection.repository.ts';
import { targetOf } from './providers.ts';

export const getConnection =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await database.read(context, async (sql) => {
      const [connection, sending_windows] = await Promise.all([
        findConnection(sql, context.storeId),
        findSendingWindows(sql, context.storeId),
      ]);
      if (!connection) return { provider: null, status: 'not_connected', reason: null, sending_windows };
      const [outage, [reading]] = await Promise.all([
        findOutage(sql, targetOf(connection).origin),
        findReading(sql, context.storeId, connection.id),
      ]);
      const health = toConnectionHealth(connection.status, outage);
      return {
        provider: connection.provider,
        ...withReading(health, reading, connection.connected_at),
        sending_windows,
      };
    });
