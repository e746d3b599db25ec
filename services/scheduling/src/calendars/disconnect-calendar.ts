import type { disconnectCalendar as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { wakeAppointment } from '../appointments/appointment.ts';
import { dropUnsettledSyncs } from '../calendar-sync/sync.repository.ts';
import { endWatch } from '../calendar-watch/end-watch.ts';
import type { Dependencies } from '../dependencies.ts';
import { endConnection, lockCalendarConnectionForUpdate } from './connection.repository.ts';

export const disconnectCalendar =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { storeId } = context;
    await database.write(context, async (sql) => {
      const connection = await lockCalendarConnectionForUpdate(sql, storeId);
      if (!connection) throw new AppError('calendar_not_connected');
      await endConnection(sql, storeId, connection.id);
      const dropped = await dropUnsettledSyncs(sql, storeId, connection.id);
      // These workflows may wait for a signal. With nothing left to do, they end.
      await appendOutbox(sql, storeId, [
        ...dropped.map((appointment) => wakeAppointment(appointment, 'calendar_disconnected')),
        ...(await endWatch(sql, storeId, connection)),
      ]);
    });
    relay.nudge();
    return { done: true as const };
  };
