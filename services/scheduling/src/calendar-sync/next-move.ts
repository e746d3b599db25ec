import type { NextStep } from '@mostrador/contracts';
import { done, failedReason, waitForLease, waitForSignal, waitUntil } from '@mostrador/kit/delivery/step';
import { delayWhileBlockedMs, retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import type { CalendarError } from '../calendars/calendar-provider.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import type { SyncError } from './attempt.repository.ts';
import type { SyncRow } from './sync.repository.ts';

export type Situation = {
  readonly sync: SyncRow | undefined;
  /** The connection of the sync, if it is the current one. */
  readonly connection: ConnectionRow | undefined;
  /** Time of the database clock, which also wrote the times of the row. */
  readonly now: Date;
  /** Milliseconds until the circuit allows a call; 0: now. */
  readonly blockedForMs: number;
};

export type Move =
  /** Nothing is due now. */
  | { readonly kind: 'answer'; readonly next: NextStep }
  /** The calendar refused the credentials earlier, so its syncs need attention. */
  | { readonly kind: 'mark_refused'; readonly connection: ConnectionRow; readonly error: SyncError }
  | { readonly kind: 'postpone'; readonly delayMs: number }
  | { readonly kind: 'call'; readonly connection: ConnectionRow; readonly sync: SyncRow };

/** Decides what to do about an appointment's calendar event. Pure. */
export function nextMove({ sync, connection, now, blockedForMs }: Situation): Move {
  if (!sync || !connection) return answer(done('no calendar is connected for this appointment'));
  if (sync.state === 'synced') return answer(done('synced'));
  if (sync.state === 'needs_attention') return answer(needsAttention(sync.last_error_code));
  if (sync.lease_until && sync.lease_until > now) return answer(waitForLease(sync.lease_until));
  if (connection.status === 'needs_attention') {
    return { kind: 'mark_refused', connection, error: refusalOf(connection) };
  }
  if (sync.next_attempt_at && sync.next_attempt_at > now) {
    const { last_error_code: code, attempts } = sync;
    const reason = code === null ? 'the next attempt is not due yet' : failedReason(code, attempts);
    return answer(waitUntil(sync.next_attempt_at, reason));
  }
  if (blockedForMs > 0) return { kind: 'postpone', delayMs: delayWhileBlocked(blockedForMs) };
  return { kind: 'call', connection, sync };
}

const answer = (next: NextStep): Move => ({ kind: 'answer', next });

const refusalOf = (connection: ConnectionRow): SyncError => ({
  code: connection.last_error_code ?? 'refused',
  detail: connection.last_error_detail ?? 'The calendar refused the credentials.',
});

export const needsAttention = (code: string | null): NextStep =>
  waitForSignal(`the calendar sync needs attention (${code ?? 'refused'})`);

export const reasonBlocked = 'the calendar is not called now, because it is down or busy';

/** Milliseconds between attempt number `attempts` and the next one. The first delay is 5 s. */
export const delayAfter = ({ retryAfterSeconds }: CalendarError, attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 5_000, retryAfterSeconds }, random);

/** Milliseconds until the next step of a calendar whose circuit blocks calls. */
export const delayWhileBlocked = (blockedForMs: number, random?: () => number): number =>
  delayWhileBlockedMs({ blockedForMs, leastMs: 500, leastSpreadMs: 500 }, random);
