import type { CalendarSync, getCalendarSync as operation } from '@mostrador/contracts';
import { toWaitReason } from '@mostrador/kit/resilience/wait-reason';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { findAppointment } from '../appointments/appointment.repository.ts';
import { type ConnectionRow, findConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSync, type SyncRow } from './sync.repository.ts';

export const getCalendarSync =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const [[appointment], connection, sync] = await database.read(context, (sql) =>
      Promise.all([
        findAppointment(sql, storeId, params.appointmentId),
        findConnection(sql, storeId),
        findSync(sql, storeId, params.appointmentId),
      ]),
    );
    if (!appointment) throw new AppError('appointment_not_found');
    return toCalendarSync(connection, sync);
  };

/** A sync of an earlier connection does not count. */
function toCalendarSync(connection: ConnectionRow | undefined, sync: SyncRow | undefined): CalendarSync {
  if (!connection || sync?.connection_id !== connection.id) {
    return {
      state: 'not_connected',
      provider: null,
      event_id: null,
      attempts: 0,
      last_error: null,
      reason: null,
      next_attempt_at: null,
      synced_at: null,
    };
  }
  const { last_error_code: code, last_error_detail: detail } = sync;
  return {
    state: sync.state,
    provider: connection.provider,
    event_id: sync.event_id,
    attempts: sync.attempts,
    last_error: code !== null && detail !== null ? { code, detail } : null,
    reason: sync.state === 'pending' ? toWaitReason(sync) : null,
    next_attempt_at: sync.next_attempt_at && toTimestamp(sync.next_attempt_at),
    synced_at: sync.synced_at && toTimestamp(sync.synced_at),
  };
}
