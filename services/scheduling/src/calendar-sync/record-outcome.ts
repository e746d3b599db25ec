import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { CalendarError, EventReference } from '../calendars/calendar-provider.ts';
import { type ConnectionRow, markConnectionRefused } from '../calendars/connection.repository.ts';
import {
  type Attempt,
  markSyncsRefused,
  recordFailed,
  recordNotMade,
  recordRejected,
  recordSynced,
} from './attempt.repository.ts';
import {
  delayAfter,
  delayWhileClosed,
  done,
  lookAgain,
  needsAttention,
  reasonClosed,
  reasonOfWaiting,
  wait,
} from './next-move.ts';

/** An attempt that was taken up, with everything that it needs. */
export type TakenUp = {
  readonly attempt: Attempt;
  readonly appointment: AppointmentRow;
  readonly connection: ConnectionRow;
  /** This attempt's number. */
  readonly attempts: number;
  readonly known: EventReference | null;
  /** Epoch ms: what the attempt records must be there before its lease ends. */
  readonly recordBy: number;
};

// Each of these records under the lease. Where that is lost, somebody else has gone on, so the answer is to look again.

export async function recordSuccess(
  sql: TransactionSql,
  { attempt, appointment }: TakenUp,
  event: EventReference | null,
): Promise<NextStep> {
  const state = await recordSynced(sql, attempt, appointment.version, event);
  return state === 'synced' ? done('synced') : lookAgain(new Date());
}

/** The attempt was not made, for the gate had closed since it was taken up. */
export async function recordGateClosed(
  sql: TransactionSql,
  { attempt }: TakenUp,
  closedForMs: number,
): Promise<NextStep> {
  const until = await recordNotMade(sql, attempt, delayWhileClosed(closedForMs));
  return until ? wait(until, reasonClosed) : lookAgain(new Date());
}

export async function recordFailure(sql: TransactionSql, takenUp: TakenUp, error: CalendarError): Promise<NextStep> {
  const { attempt, appointment, connection, attempts } = takenUp;
  switch (error.kind) {
    case 'unavailable':
    case 'throttled': {
      const until = await recordFailed(sql, attempt, error, delayAfter(error, attempts));
      return until ? wait(until, reasonOfWaiting(error.code, attempts)) : lookAgain(new Date());
    }
    case 'refused': {
      // The connection first, as whoever replaces it does. Then this row is like the others that are not being tried.
      await markConnectionRefused(sql, attempt.storeId, connection.id, error);
      const ours = await recordFailed(sql, attempt, error, 0);
      await markSyncsRefused(sql, attempt.storeId, connection.id, error);
      return ours ? needsAttention(error.code) : lookAgain(new Date());
    }
    case 'rejected': {
      const state = await recordRejected(sql, attempt, appointment.version, error);
      return state === 'needs_attention' ? needsAttention(error.code) : lookAgain(new Date());
    }
  }
}
