import { updateAppointment as operation } from '@mostrador/contracts';
import { assertIfMatch, etagOf } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { followVersion, requestSyncs } from '../calendar-sync/sync.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockAppointment, saveAppointment } from './appointment.repository.ts';
import {
  appointmentUpdated,
  changeAppointment,
  isShown,
  signalOfChange,
  toAppointment,
  wakeAppointment,
} from './appointment.ts';

export const updateAppointment =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const connection = await lockCalendarConnection(sql, storeId);
        const current = await lockAppointment(sql, storeId, params.appointmentId);
        if (!current) throw new AppError('appointment_not_found');
        assertIfMatch(context, current.version);
        const changed = changeAppointment(current, body);
        if (!changed) return current;

        const saved = await saveAppointment(sql, storeId, current.id, changed);
        const shows = isShown(current, saved);
        const toSync = shows ? connection : undefined;
        await Promise.all([
          toSync && requestSyncs(sql, storeId, [saved], toSync.id),
          shows || followVersion(sql, storeId, saved),
          appendOutbox(sql, storeId, [
            ...appointmentUpdated(current, saved),
            ...(toSync ? [wakeAppointment(saved, signalOfChange(changed))] : []),
          ]),
        ]);
        return saved;
      },
      toReply: toAppointment,
      etag: (row) => etagOf(row.version),
    });
  };
