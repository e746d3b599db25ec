import type { NextStep } from '@mostrador/contracts';
import { done, failedReason, waitForLease, waitForSignal, waitUntil } from '@mostrador/kit/delivery/step';
import { delayWhileBlockedMs, retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import type { CalendarError } from '../calendars/calendar-provider.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import type { SyncError } from './attempt.repository.ts';
import type { SyncRow } from './sync.repository.ts';

export type Situation = {
  readonly sync: SyncRow | undefined;
  /** The connection that the sync is for, if it is still in force. */
  readonly connection: ConnectionRow | undefined;
  /** By the database's clock, which wrote the times that this is compared with. */
  readonly now: Date;
  /** How long the circuit of this calendar is blocked; 0: it may be called. */
  readonly blockedForMs: number;
};

export type Move =
  /** Nothing is due now. */
  | { readonly kind: 'answer'; readonly next: NextStep }
  /** The calendar refused the credentials before: mark the sync, a person must act. */
  | { readonly kind: 'mark_refused'; readonly connection: ConnectionRow; readonly error: SyncError }
  | { readonly kind: 'postpone'; readonly delayMs: number }
  | { readonly kind: 'call'; readonly connection: ConnectionRow; readonly sync: SyncRow };

/** Decides what to do about an appointment's calendar event. Pure. */
export function nextMove({ sync, connection, now, blockedForMs }: Situation): Move {
  if (!sync || !connection) return answer(done('no connected calendar concerns this appointment'));
  if (sync.state === 'synced') return answer(done('synced'));
  if (sync.state === 'needs_attention') return answer(needsAttention(sync.last_error_code));
  if (sync.lease_until && sync.lease_until > now) return answer(waitForLease(sync.lease_until));
  if (connection.status === 'needs_attention') {
    return { kind: 'mark_refused', connection, error: refusalOf(connection) };
  }
  if (sync.next_attempt_at && sync.next_attempt_at > now) {
    const { last_error_code: code, attempts } = sync;
    const reason = code === null ? 'the next attempt is due' : failedReason(code, attempts);
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
  waitForSignal(`a person must see to the calendar (${code ?? 'refused'})`);

export const reasonBlocked = 'the calendar is not called now: it is down or busy';

/** Milliseconds until the attempt after attempt number `attempts`. The first pause is 5 s. */
export const delayAfter = ({ retryAfterSeconds }: CalendarError, attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 5_000, retryAfterSeconds }, random);

/** Milliseconds until a calendar whose circuit is blocked is asked again. */
export const delayWhileBlocked = (blockedForMs: number, random?: () => number): number =>
  delayWhileBlockedMs({ blockedForMs, leastMs: 500, leastSpreadMs: 500 }, random);
