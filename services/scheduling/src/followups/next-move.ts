import type { NextStep, SendingWindows } from '@mostrador/contracts';
import { done, failedReason, lookAgain, waitForLease, waitUntil } from '@mostrador/kit/delivery/step';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import type { FollowupRow } from './followup.ts';
import { planAttempt } from './sending-window.ts';

export type Situation = {
  readonly followup: FollowupRow | undefined;
  /** By the database's clock, which wrote the times that this is compared with. */
  readonly now: Date;
  readonly windows: SendingWindows;
  /** The store's time zone; null when it was not known to be needed. */
  readonly zone: string | null;
};

export type Move =
  /** Nothing is due now. */
  | { readonly kind: 'answer'; readonly next: NextStep }
  /** Due, but outside the sending window. */
  | { readonly kind: 'postpone'; readonly until: Date }
  | { readonly kind: 'send'; readonly followup: FollowupRow };

/** Decides what to do about a follow-up. Pure. */
export function nextMove({ followup, now, windows, zone }: Situation): Move {
  if (!followup) return answer(done('there is no such follow-up'));
  const { status, next_attempt_at, error_code, attempts } = followup;
  if (status !== 'pending' && status !== 'sending') return answer(done(status));
  if (followup.lease_until && followup.lease_until > now) return answer(waitForLease(followup.lease_until));
  // A follow-up that is being sent was claimed before. Its window was open then, and only messaging knows the outcome.
  if (status === 'sending') return { kind: 'send', followup };
  if (next_attempt_at && next_attempt_at > now) {
    const reason = error_code === null ? 'it is not due yet' : failedReason(error_code, attempts);
    return answer(waitUntil(next_attempt_at, reason));
  }
  if (windows.length === 0) return { kind: 'send', followup };
  // The windows were set after the caller looked whether it needs the zone.
  if (zone === null) return answer(lookAgain('the sending window has changed meanwhile'));
  const at = planAttempt(windows, zone, now, followup.id);
  return at > now ? { kind: 'postpone', until: at } : { kind: 'send', followup };
}

const answer = (next: NextStep): Move => ({ kind: 'answer', next });

export const outsideWindow = 'it waits for the sending window';

const withoutJitter = () => 0.5;

/** Milliseconds until the attempt after attempt number `attempts`: a minute, doubled each time, at most an hour. */
export const delayAfter = (attempts: number): number =>
  retryDelayMs({ attempts, firstMs: 60_000, longestMs: 60 * 60_000 }, withoutJitter);
