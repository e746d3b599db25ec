import { checkLead, maxAppointmentMetadataBytes, createAppointment as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { etagOf } from '@mostrador/kit/database/etag';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { createGroupCommit } from '@mostrador/kit/idempotency/group-commit';
import { appendOutbox, causedBy } from '@mostrador/kit/outbox/outbox';
import type { Origin } from '@mostrador/kit/rpc/actor';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { requestSyncs } from '../calendar-sync/sync.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { cancelFollowups } from '../followups/cancel-followups.ts';
import { insertAppointments, type NewAppointment } from './appointment.repository.ts';
import { type AppointmentRow, appointmentCreated, toAppointment, wakeAppointment } from './appointment.ts';

const defaultDurationMinutes = operation.request.body.properties.duration_minutes.default as number;

export const createAppointment = (dependencies: Dependencies): Handler<typeof operation> => {
  const create = createGroupCommit<typeof operation, NewAppointment, AppointmentRow>(dependencies, {
    operation,
    work: writeAppointments,
    toReply: toAppointment,
    etag: (row) => etagOf(row.version),
  });
  return async (context, { body }) => {
    const appointment = {
      lead_id: body.lead_id ?? null,
      title: body.title,
      scheduled_at: toInstant(body.scheduled_at),
      duration_minutes: body.duration_minutes ?? defaultDurationMinutes,
      notes: body.notes ?? null,
      metadata: changeMetadata({}, body.metadata, maxAppointmentMetadataBytes),
    };
    if (appointment.lead_id)
      await dependencies.rpc.call(checkLead, { body: { lead_id: appointment.lead_id } }, context);
    return await create(context, appointment);
  };
};

/** Writes appointments with all that follows from them. Each has the origin of its request. */
export async function writeAppointments(
  sql: TransactionSql,
  storeId: string,
  appointments: readonly NewAppointment[],
  origins: readonly Origin[],
): Promise<AppointmentRow[]> {
  const [connection, rows] = await Promise.all([
    lockCalendarConnection(sql, storeId),
    insertAppointments(sql, storeId, appointments),
  ]);
  const originsOfLeads = new Map(rows.flatMap(({ lead_id }, index) => (lead_id ? [[lead_id, origins[index]]] : [])));
  // In one order, because another process may lock the follow-ups of the same leads.
  const ofLeads = [...originsOfLeads].toSorted(([a], [b]) => (a < b ? -1 : 1));
  await Promise.all([
    connection && requestSyncs(sql, storeId, rows, connection.id),
    appendOutbox(
      sql,
      storeId,
      rows.flatMap((row, index) => [
        ...causedBy(origins[index] as Origin, appointmentCreated(row)),
        ...(connection ? [wakeAppointment(row, 'created')] : []),
      ]),
    ),
    ...ofLeads.map(([leadId, origin]) =>
      cancelFollowups(sql, storeId, { leadId, reason: 'appointment_booked' }, origin),
    ),
  ]);
  return rows;
}
