import type { FollowupCancelReason, SendingWindows } from '@mostrador/contracts';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { type Move as AnyMove, answer, type NextMove } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, lookAgain, waitForLease, waitUntil } from '@mostrador/kit/step/step';
import type { Reminded } from '../reminders/reminder.repository.ts';
import type { FollowupRow } from './followup.ts';
import { planAttempt } from './sending-window.ts';

export type Situation = {
  readonly followup: FollowupRow | undefined;
  /** Time of the database clock, which also wrote the times of the row. */
  readonly now: Date;
  readonly windows: SendingWindows;
  /** The store's time zone; null when the caller did not expect to need it. */
  readonly zone: string | null;
  /** The appointment of a reminder. */
  readonly reminded?: Reminded | undefined;
};

type OwnMove =
  /** It has an `expires_at`, which has come, or it is a reminder whose appointment or rule is no longer the same. */
  | { readonly kind: 'cancel'; readonly followup: FollowupRow; readonly reason: FollowupCancelReason }
  /** Due too long ago to be sent. */
  | { readonly kind: 'expire'; readonly followup: FollowupRow }
  /** Due, but outside the sending window. */
  | { readonly kind: 'postpone'; readonly followup: FollowupRow; readonly until: Date };

/** Decides about a follow-up. */
export const nextMove: NextMove<Situation, AnyMove<{ readonly followup: FollowupRow }, OwnMove>> = (situation) => {
  const { followup, now, windows, zone } = situation;
  if (!followup) return answer(done('the follow-up does not exist'));
  const { status, next_attempt_at, error_code, attempts } = followup;
  if (status !== 'pending' && status !== 'sending') return answer(done(status));
  if (followup.lease_until && followup.lease_until > now) return answer(waitForLease(followup.lease_until));
  // The window was open when this follow-up was claimed, and only messaging knows the outcome. Messaging does not send it
  // after `expires_at` either.
  if (status === 'sending') return { kind: 'claim', followup };
  if (followup.expires_at && followup.expires_at <= now) return { kind: 'cancel', followup, reason: 'expired' };
  const reason = outdatedReason(situation);
  if (reason) return { kind: 'cancel', followup, reason };
  if (next_attempt_at && next_attempt_at > now) {
    const reason = error_code === null ? 'it is not due yet' : failedReason(error_code, attempts);
    return answer(waitUntil(nextLook(followup, next_attempt_at), reason));
  }
  if (now.getTime() - followup.due_at.getTime() > expiresAfterMs) return { kind: 'expire', followup };
  if (windows.length === 0) return { kind: 'claim', followup };
  // The windows were set after the caller had checked whether it needs the zone.
  if (zone === null) return answer(lookAgain('the sending windows have just changed'));
  const at = planAttempt(windows, zone, now, followup.id);
  return at > now ? { kind: 'postpone', followup, until: at } : { kind: 'claim', followup };
};

/**
 * Why a reminder must not be sent. Changes of its appointment change it, too, in their transaction. That misses one whose
 * attempt ran then and was refused, and one whose rules were changed by a process that died.
 */
function outdatedReason({ followup, reminded }: Situation): FollowupCancelReason | null {
  if (!followup || followup.reminder_minutes === null) return null;
  if (reminded?.status !== 'scheduled') return 'appointment_closed';
  if (reminded.scheduled_at.getTime() !== followup.reminder_start?.getTime()) return 'appointment_moved';
  return reminded.is_wanted ? null : 'reminder_removed';
}

/** When a follow-up whose next attempt is due at `attemptAt` needs the next step: at the latest when it expires. */
export const nextLook = ({ expires_at }: Pick<FollowupRow, 'expires_at'>, attemptAt: Date): Date =>
  expires_at && expires_at < attemptAt ? expires_at : attemptAt;

/** Sending windows open at least once a week, so they never delay a follow-up for this long. */
export const expiresAfterMs = 14 * 24 * 60 * 60_000;

export const expired = {
  code: 'followup_expired',
  detail: 'The follow-up could not be sent within 14 days after `due_at`. Create it again if it still matters.',
};

export const outsideWindow = 'the sending window is closed';

const withoutJitter = () => 0.5;

/** Milliseconds between attempt number `attempts` and the next one: 1 minute, doubled each time, at most 1 hour. */
export const delayAfter = (attempts: number): number =>
  retryDelayMs({ attempts, firstMs: 60_000, longestMs: 60 * 60_000 }, withoutJitter);
