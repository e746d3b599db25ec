import { wordsOfReason } from '../connections/reason-words.ts';
import { m } from '../paraglide/messages.js';
import type { AppointmentStatus, CalendarSync } from './appointment-queries.ts';

const statuses: Readonly<Record<AppointmentStatus, () => string>> = {
  scheduled: m.calendar_scheduled,
  done: m.calendar_done,
  cancelled: m.calendar_cancelled,
  no_show: m.calendar_no_show,
};
export const wordsOfAppointment = (status: AppointmentStatus): string => statuses[status]();

export const kindOfAppointment = (status: AppointmentStatus): 'good' | 'bad' | 'warn' | undefined =>
  status === 'done' ? 'good' : status === 'no_show' ? 'warn' : status === 'cancelled' ? 'bad' : undefined;

type SyncWords = {
  readonly state: string;
  readonly kind: 'good' | 'warn' | 'bad' | undefined;
  /** Why it is not in the calendar. */
  readonly why?: string;
  /** What to do about it. */
  readonly next?: string;
};

/** What people can mend in the connection, and what they do there. */
const credentials = /credentials|unauthorized|invalid_grant|unreadable/;
const rights = /permission|read_only|takes_no_events|refused/;
/** What passes by itself. */
const passing = /unreachable|timeout|unavailable|throttled/;
const gone = /not_found|moved|not_a_calendar|url_invalid|address/;

/** The state of an appointment in the store's calendar, in words: why it is not there, and what to do. */
export function wordsOfSync({
  state,
  last_error,
  reason,
}: Pick<CalendarSync, 'state' | 'last_error' | 'reason'>): SyncWords {
  if (state === 'synced') return { state: m.calendar_sync_synced(), kind: 'good' };
  if (state === 'not_connected') {
    return {
      state: m.calendar_sync_not_connected(),
      kind: undefined,
      why: m.calendar_sync_not_connected_why(),
      next: m.calendar_sync_not_connected_next(),
    };
  }
  if (state === 'pending') {
    const waits = reason !== null || last_error !== null;
    return {
      state: m.calendar_sync_pending(),
      kind: waits ? 'warn' : undefined,
      why:
        reason || passing.test(last_error?.code ?? '')
          ? m.calendar_sync_unavailable()
          : last_error
            ? wordsOfReason(last_error)
            : m.calendar_sync_pending_why(),
      next: m.calendar_sync_pending_next(),
    };
  }
  const code = last_error?.code ?? '';
  const [why, next] = credentials.test(code)
    ? [m.calendar_sync_credentials(), m.calendar_sync_credentials_next()]
    : gone.test(code)
      ? [m.calendar_sync_gone(), m.calendar_sync_gone_next()]
      : rights.test(code)
        ? [m.calendar_sync_rights(), m.calendar_sync_rights_next()]
        : /conflict/.test(code)
          ? [m.calendar_sync_conflict(), m.calendar_sync_conflict_next()]
          : [last_error ? wordsOfReason(last_error) : m.calendar_sync_failed(), m.calendar_sync_failed_next()];
  return { state: m.calendar_sync_needs_attention(), kind: 'bad', why, next };
}
