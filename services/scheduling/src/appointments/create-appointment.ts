import { checkLead, maxAppointmentMetadataBytes, createAppointment as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { withIdempotency } from '@mostrador/kit/delivery/idempotency';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { requestSync } from '../calendar-sync/sync.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { cancelFollowups } from '../followups/cancel-followups.ts';
import { insertAppointment } from './appointment.repository.ts';
import { appointmentEvents, toAppointment } from './appointment.ts';
import { wakeAppointment } from './wake-appointment.ts';

const defaultDurationMinutes = operation.request.body.properties.duration_minutes.default as number;

export const createAppointment =
  ({ database, rpc, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const appointment = {
      lead_id: body.lead_id ?? null,
      title: body.title,
      scheduled_at: toInstant(body.scheduled_at),
      duration_minutes: body.duration_minutes ?? defaultDurationMinutes,
      notes: body.notes ?? null,
      metadata: changeMetadata({}, body.metadata, maxAppointmentMetadataBytes),
    };
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        if (appointment.lead_id) await rpc.call(checkLead, { body: { lead_id: appointment.lead_id } }, context);
        return await commit(async (sql) => {
          const [connection, row] = await Promise.all([
            lockCalendarConnection(sql, storeId),
            insertAppointment(sql, storeId, appointment),
          ]);
          await Promise.all([
            connection && requestSync(sql, storeId, row, connection.id),
            row.lead_id && cancelFollowups(sql, storeId, { leadId: row.lead_id, reason: 'appointment_booked' }),
            appendOutbox(sql, storeId, [
              ...appointmentEvents('created', row),
              ...(connection ? [wakeAppointment(row, 'created')] : []),
            ]),
          ]);
          return row;
        });
      },
      etag: (row) => etagOf(row.version),
      toReply: toAppointment,
    });
    relay.nudge();
    return result;
  };
