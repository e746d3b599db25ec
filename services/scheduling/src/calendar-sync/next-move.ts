import type { NextStep } from '@mostrador/contracts';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { AppointmentRow } from '../appointments/appointment.ts';
import { CalendarError, type CalendarEvent } from '../calendars/calendar-provider.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import type { SyncRow } from './sync.repository.ts';
import type { SyncError } from './attempt.repository.ts';

/** The limits nest: a call < the worker's request (12 s) < the lease < the activity (20 s). */
export const callLimitMs = 10_000;
export const leaseMs = 15_000;

/** The code of a failure that no adapter foresaw. */
export const unforeseen = 'calendar_failed';

export type Situation = {
  readonly sync: SyncRow | undefined;
  /** The connection that the sync is for, if it is still in force. */
  readonly connection: ConnectionRow | undefined;
  /** The database's clock: it wrote the times that this is compared with. */
  readonly now: Date;
  /** For how long nothing may be asked of this calendar; 0: it may be asked. */
  readonly closedForMs: number;
};

export type Move =
  /** There is nothing to be done now. */
  | { readonly kind: 'answer'; readonly next: NextStep }
  /** The credentials were refused before: mark it, ask a person. */
  | { readonly kind: 'ask'; readonly connection: ConnectionRow; readonly error: SyncError }
  | { readonly kind: 'postpone'; readonly delayMs: number }
  | { readonly kind: 'call'; readonly connection: ConnectionRow; readonly sync: SyncRow };

/** What to do about an appointment's event, given everything that is known. */
export function nextMove({ sync, connection, now, closedForMs }: Situation): Move {
  if (!sync || !connection) return answer(done('no connected calendar concerns this appointment'));
  if (sync.state === 'synced') return answer(done('synced'));
  if (sync.state === 'needs_attention') return answer(needsAttention(sync.last_error_code));
  if (sync.lease_until && sync.lease_until > now) return answer(wait(sync.lease_until, 'another attempt is running'));
  if (connection.status === 'needs_attention') return { kind: 'ask', connection, error: refusalOf(connection) };
  if (sync.next_attempt_at && sync.next_attempt_at > now) {
    return answer(wait(sync.next_attempt_at, reasonOfWaiting(sync.last_error_code, sync.attempts)));
  }
  if (closedForMs > 0) return { kind: 'postpone', delayMs: delayWhileClosed(closedForMs) };
  return { kind: 'call', connection, sync };
}

const answer = (next: NextStep): Move => ({ kind: 'answer', next });

const refusalOf = (connection: ConnectionRow): SyncError => ({
  code: connection.last_error_code ?? 'refused',
  detail: connection.last_error_detail ?? 'The calendar refused the credentials.',
});

// What a step tells operators. Codes only: a calendar's own words are for the API, not for a workflow's history.
export const done = (reason: string): NextStep => ({ done: true, wake_at: null, reason });
export const wait = (until: Date, reason: string): NextStep => ({ done: false, wake_at: toTimestamp(until), reason });
export const lookAgain = (now: Date): NextStep => wait(now, 'the appointment or its calendar has changed meanwhile');
export const needsAttention = (code: string | null): NextStep => ({
  done: false,
  wake_at: null,
  reason: `a person must see to the calendar (${code ?? 'refused'})`,
});
export const reasonClosed = 'the calendar is not asked at the moment: it is down or busy';
export const reasonOfWaiting = (code: string | null, attempts: number): string =>
  code === null ? 'the next attempt is due' : `attempt ${attempts} failed (${code})`;

/** The appointment as the calendar is to show it. */
export function calendarEventOf(row: AppointmentRow): CalendarEvent {
  return {
    uid: uidOf(row.id),
    sequence: row.version - 1,
    title: row.title,
    notes: row.notes,
    startsAt: row.scheduled_at,
    durationMinutes: row.duration_minutes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Derived from the id, so that every attempt means the same event. */
export const uidOf = (appointmentId: string): string => `${appointmentId}@mostrador`;

/** Milliseconds until the attempt after attempt number `attempts`; the first pause is 5 s. */
export const delayAfter = ({ retryAfterSeconds }: CalendarError, attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 5_000, retryAfterSeconds }, random);

/** Milliseconds until a calendar that is not asked at the moment may be asked: spread, so that not all come at once. */
export const delayWhileClosed = (closedForMs: number, random: () => number = Math.random): number =>
  Math.round(Math.max(closedForMs, 500) + random() * Math.max(closedForMs * 0.2, 500));

/** Any failure of an attempt as a `CalendarError`. What an adapter did not foresee is tried again like an outage. */
export function toCalendarError(error: unknown): CalendarError {
  if (error instanceof CalendarError) return error;
  return new CalendarError('unavailable', unforeseen, 'The calendar could not be asked.', { cause: error });
}
