import type { NextStep } from '@mostrador/contracts';
import type { Blocked } from '@mostrador/kit/resilience/circuit';
import { delayWhileBlockedMs, retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { type Move as AnyMove, type AttemptError, answer, type NextMove } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, waitForLease, waitForSignal, waitUntil } from '@mostrador/kit/step/step';
import type { CalendarError } from '../calendars/calendar-provider.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import type { Wait } from './attempt.repository.ts';
import type { SyncRow } from './sync.repository.ts';

export type Situation = {
  readonly sync: SyncRow | undefined;
  /** The connection of the sync, if it is the current one. */
  readonly connection: ConnectionRow | undefined;
  /** Time of the database clock, which also wrote the times of the row. */
  readonly now: Date;
  /** Why the circuit blocks calls; null: it allows one. Asked only when an attempt is due, which then has a turn. */
  readonly blocked: () => Blocked | null;
};

type OwnMove =
  /** The calendar refused the credentials earlier, so its syncs need attention. */
  | { readonly kind: 'mark_refused'; readonly connection: ConnectionRow; readonly error: AttemptError }
  | { readonly kind: 'postpone'; readonly blocked: Blocked };

export type Move = AnyMove<{ readonly connection: ConnectionRow; readonly sync: SyncRow }, OwnMove>;

/** Decides about an appointment's calendar event. */
export const nextMove: NextMove<Situation, Move> = ({ sync, connection, now, ...situation }) => {
  if (!sync || !connection) return answer(done('no calendar is connected for this appointment'));
  if (sync.state === 'synced') return answer(done('synced'));
  if (sync.state === 'failed') return answer(done('a person gave the sync up'));
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
  const blocked = situation.blocked();
  if (blocked) return { kind: 'postpone', blocked };
  return { kind: 'claim', connection, sync };
};

const refusalOf = (connection: ConnectionRow): AttemptError => ({
  code: connection.last_error_code ?? 'refused',
  detail: connection.last_error_detail ?? 'The calendar refused the credentials.',
});

export const needsAttention = (code: string | null): NextStep =>
  waitForSignal(`the calendar sync needs attention (${code ?? 'refused'})`);

export const reasonOf = ({ reason }: Blocked): string => `the calendar is not called now (${reason})`;

/** Milliseconds between attempt number `attempts` and the next one. The first delay is 5 s. */
export const delayAfter = ({ retryAfterSeconds }: CalendarError, attempts: number, random?: () => number): number =>
  retryDelayMs({ attempts, firstMs: 5_000, retryAfterSeconds }, random);

/** How long a sync waits whose calendar's circuit blocks calls. */
export const waitWhile = ({ reason, forMs }: Blocked, random?: () => number): Wait => ({
  delayMs: delayWhileBlockedMs({ blockedForMs: forMs, leastMs: 500, leastSpreadMs: 500 }, random),
  reason,
});
