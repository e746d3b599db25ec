import type { NextStep, syncCalendarEvent as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { type Gate, GateClosed } from '@mostrador/kit/resilience/circuit';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findAppointment } from '../appointments/appointment.repository.ts';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { Dependencies } from '../dependencies.ts';
import type { CalendarError, EventReference } from '../calendars/calendar-provider.ts';
import { findConnection } from '../calendars/connection.repository.ts';
import { openCredentials } from '../calendars/credentials.ts';
import { recordFailure, recordGateClosed, recordSuccess, type TakenUp } from './record-outcome.ts';
import { lockSync, type SyncRow } from './sync.repository.ts';
import { claimSync, markSyncsRefused, postponeSync } from './attempt.repository.ts';
import {
  calendarEventOf,
  callLimitMs,
  leaseMs,
  needsAttention,
  nextMove,
  reasonClosed,
  toCalendarError,
  uidOf,
  unforeseen,
  wait,
} from './next-move.ts';

// With less of the request's time left than this, the answer would come too late to be of use.
const leastCallMs = 1_000;
const recordingMs = 1_000;

/** One attempt: taken up in one transaction, made outside of any, recorded in another under the lease. */
export const syncCalendarEvent =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const limitMs = Math.min(callLimitMs, context.deadline - Date.now() - recordingMs);
    if (limitMs < leastCallMs) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });

    const takenUp = await dependencies.database.write(context, (sql) =>
      takeUp(sql, context.storeId, body.appointment_id, dependencies.gate),
    );
    if ('next' in takenUp) return takenUp.next;
    return await carryOut(dependencies, context, takenUp, limitMs);
  };

async function takeUp(
  sql: TransactionSql,
  storeId: string,
  appointmentId: string,
  gate: Gate,
): Promise<{ next: NextStep } | TakenUp> {
  const found = await lockSync(sql, storeId, appointmentId);
  const now = found?.now ?? new Date();
  const live = found && (await findConnection(sql, storeId));
  const connection = live?.id === found?.sync.connection_id ? live : undefined;
  const closedForMs = connection ? gate.closedForMs(connection.id) : 0;
  const move = nextMove({ sync: found?.sync, connection, now, closedForMs });
  switch (move.kind) {
    case 'answer':
      return { next: move.next };
    case 'ask':
      await markSyncsRefused(sql, storeId, move.connection.id, move.error);
      return { next: needsAttention(move.error.code) };
    case 'postpone':
      return { next: wait(await postponeSync(sql, storeId, appointmentId, move.delayMs), reasonClosed) };
    case 'call': {
      // The sync row is locked, and a change of the appointment ends with writing it: this is the version it asks for.
      const appointment = await findAppointment(sql, storeId, appointmentId);
      const leaseToken = await claimSync(sql, storeId, appointmentId, leaseMs);
      return {
        attempt: { storeId, appointmentId, leaseToken },
        appointment: appointment as AppointmentRow,
        connection: move.connection,
        attempts: move.sync.attempts + 1,
        known: referenceOf(move.sync),
        recordBy: Date.now() + leaseMs - recordingMs,
      };
    }
  }
}

const referenceOf = ({ event_id, href, etag }: SyncRow): EventReference | null =>
  event_id !== null && href !== null ? { eventId: event_id, href, etag } : null;

async function carryOut(
  dependencies: Dependencies,
  context: StoreContext,
  takenUp: TakenUp,
  limitMs: number,
): Promise<NextStep> {
  const { database, gate } = dependencies;
  // The caller may have gone by the time the calendar answers; what became of the attempt is recorded all the same.
  const scope = { storeId: context.storeId, deadline: takenUp.recordBy };
  let event: EventReference | null;
  try {
    event = await gate.run(takenUp.connection.id, () => call(dependencies, takenUp, AbortSignal.timeout(limitMs)));
  } catch (error) {
    if (error instanceof GateClosed) {
      const delayMs = gate.closedForMs(takenUp.connection.id);
      return await database.write(scope, (sql) => recordGateClosed(sql, takenUp, delayMs));
    }
    const failure = toCalendarError(error);
    logFailure(context.log, takenUp, failure);
    return await database.write(scope, (sql) => recordFailure(sql, takenUp, failure));
  }
  return await database.write(scope, (sql) => recordSuccess(sql, takenUp, event));
}

function logFailure(log: Log, { attempts, connection }: TakenUp, failure: CalendarError): void {
  const { kind, code, detail } = failure;
  const about = { connection: connection.id, attempts, kind, code, detail };
  if (code === unforeseen)
    log.error({ ...about, err: failure.cause }, 'a calendar adapter failed in an unforeseen way');
  else log.warn(about, 'a calendar attempt failed');
}

/** Brings the calendar to what the appointment says: the event, or none when it is cancelled. */
async function call(
  { vault, openProvider }: Dependencies,
  { attempt, appointment, connection, known }: TakenUp,
  signal: AbortSignal,
): Promise<EventReference | null> {
  const { provider, settings } = connection;
  const credentials = openCredentials(vault, attempt.storeId, connection);
  const calendar = openProvider({ provider, settings, credentials });
  if (appointment.status !== 'cancelled') return await calendar.put(calendarEventOf(appointment), known, signal);
  // Also when no event is known of: an attempt may have made one and not lived to record it.
  await calendar.remove(known ?? { eventId: uidOf(appointment.id), href: null, etag: null }, signal);
  return null;
}
