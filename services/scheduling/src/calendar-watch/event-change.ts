import { minuteMs } from '@mostrador/hours/local-days';
import type { AppointmentPatch, AppointmentRow } from '../appointments/appointment.ts';
import type { SyncRow } from '../calendar-sync/sync.repository.ts';
import type { EventTime } from '../calendars/calendar-provider.ts';

/** What the calendar shows of an appointment. `gone`: nothing, or a cancelled event. */
export type SeenEvent = 'gone' | EventTime;

/** `later`: what was read may be older than what was written since, so it is read again. */
export type EventChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'later' }
  | { readonly kind: 'patch'; readonly patch: AppointmentPatch }
  | { readonly kind: 'refuse'; readonly reason: 'validation_failed' };

const none: EventChange = { kind: 'none' };
const later: EventChange = { kind: 'later' };
const longestMinutes = 1440;

/**
 * What a person did to the event of an appointment. Only what differs from the version that was written last is a change:
 * so what Mostrador itself wrote is none. Which of two changes wins, the write decides (`isKept`).
 *
 * @param readAt a moment of the database clock before the event was read
 */
export function eventChange({
  appointment,
  sync,
  connectionId,
  seen,
  readAt,
}: {
  readonly appointment: AppointmentRow | undefined;
  readonly sync: SyncRow | undefined;
  readonly connectionId: string;
  readonly seen: SeenEvent;
  readonly readAt: Date;
}): EventChange {
  if (!appointment || !sync || sync.connection_id !== connectionId) return none;
  const isGone = seen === 'gone';
  // Cleaning up what is over cancels nothing, and the event of a cancelled appointment is removed anyway.
  if (isGone ? appointment.status !== 'scheduled' || isOver(appointment, readAt) : isShown(appointment, seen))
    return none;
  if (appointment.status === 'cancelled') return none;
  if (sync.state === 'pending') return later;
  if (sync.state !== 'synced') return none;
  if (sync.synced_version !== appointment.version || !sync.synced_at || sync.synced_at >= readAt) return later;
  if (isGone) return { kind: 'patch', patch: { status: 'cancelled' } };
  const { start, durationMinutes } = seen;
  if (start === null || durationMinutes < 1 || durationMinutes > longestMinutes) {
    return { kind: 'refuse', reason: 'validation_failed' };
  }
  return {
    kind: 'patch',
    patch: { scheduled_at: new Date(start).toISOString(), duration_minutes: durationMinutes },
  };
}

/** iCalendar has whole seconds. */
const isShown = ({ scheduled_at, duration_minutes }: AppointmentRow, { start, durationMinutes }: EventTime): boolean =>
  start !== null &&
  Math.floor(scheduled_at.getTime() / 1000) === Math.floor(start / 1000) &&
  durationMinutes === duration_minutes;

const isOver = ({ scheduled_at, duration_minutes }: AppointmentRow, now: Date): boolean =>
  scheduled_at.getTime() + duration_minutes * minuteMs <= now.getTime();
