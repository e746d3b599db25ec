import type { acceptMessage, FollowupCancelReason, NextStep, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import {
  type Attempt,
  type AttemptError,
  recordAccepted,
  recordCancelled,
  recordFailed,
  recordRefusedForNow,
  recordSent,
} from './attempt.repository.ts';
import { type FollowupRow, followupEvents } from './followup.ts';
import { done, lookAgain, wait } from './next-move.ts';

/** A follow-up that was taken up. */
export type TakenUp = {
  /** `attempts` is this one's number. */
  readonly attempt: Attempt & { readonly attempts: number; readonly firstAttemptAt: Date };
  /** The row as it was before. */
  readonly followup: FollowupRow;
  /** Epoch ms: what the attempt records must be there before its lease ends. */
  readonly recordBy: number;
};

const askAgainSeconds = [1, 2, 5, 10, 30, 60];
const firstRetryMs = 60_000;
const longestRetryMs = 60 * 60_000;
/** A store without a channel for this long, counted from the first attempt: who waits for a window is not late. */
const patienceMs = 24 * 60 * 60_000;

const cancelledBy: Partial<Record<string, FollowupCancelReason>> = {
  lead_replied: 'lead_replied',
  lead_opted_out: 'opted_out',
  lead_not_found: 'lead_deleted',
};

// Each of these records under the lease. Where that is lost, somebody else has gone on, so the answer is to look again.

/** Messaging has the message: what became of it so far. */
export async function recordReply(
  sql: TransactionSql,
  takenUp: TakenUp,
  { status, error }: ReplyOf<typeof acceptMessage>,
): Promise<NextStep> {
  const { attempt, followup } = takenUp;
  switch (status) {
    case 'sent':
    case 'delivered':
    case 'read':
      if (!(await recordSent(sql, attempt))) return lookAgain();
      await appendOutbox(sql, attempt.storeId, [followupEvents.sent(followup)]);
      return done('sent');
    case 'failed':
      return await fail(sql, takenUp, error ?? { code: 'failed', detail: 'The channel did not take it.' }, true);
    default: {
      const asked = followup.message_id === null ? 1 : attempt.attempts;
      const seconds = askAgainSeconds[Math.min(asked, askAgainSeconds.length) - 1] as number;
      const until = await recordAccepted(sql, attempt, seconds * 1000);
      return until ? wait(until, `the message is ${status}`) : lookAgain();
    }
  }
}

/** Messaging has answered that it does not take it. Undefined: the error says nothing about what became of it. */
export async function recordRefusal(
  sql: TransactionSql,
  takenUp: TakenUp,
  error: unknown,
): Promise<NextStep | undefined> {
  if (!(error instanceof AppError)) return undefined;
  const { attempt, followup } = takenUp;
  const reason = cancelledBy[error.code];
  if (reason) {
    if (!(await recordCancelled(sql, attempt, reason))) return lookAgain();
    await appendOutbox(sql, attempt.storeId, [followupEvents.cancelled(followup, reason)]);
    return done(`cancelled (${reason})`);
  }
  if (error.code === 'messaging_window_closed') return await fail(sql, takenUp, error, false);
  if (error.code !== 'channel_not_connected') return undefined;
  if (Date.now() - attempt.firstAttemptAt.getTime() > patienceMs) return await fail(sql, takenUp, error, false);
  const until = await recordRefusedForNow(sql, attempt, error, retryDelayMs(attempt.attempts));
  return until ? wait(until, `the last attempt failed (${error.code})`) : lookAgain();
}

/** A minute, doubled each time, at most an hour. */
const retryDelayMs = (attempts: number): number =>
  Math.min(firstRetryMs * 2 ** Math.min(Math.max(attempts - 1, 0), 20), longestRetryMs);

async function fail(
  sql: TransactionSql,
  { attempt, followup }: TakenUp,
  { code, detail }: AttemptError,
  becameMessage: boolean,
): Promise<NextStep> {
  if (!(await recordFailed(sql, attempt, { code, detail }, becameMessage))) return lookAgain();
  await appendOutbox(sql, attempt.storeId, [followupEvents.failed(followup, code)]);
  return done(`failed (${code})`);
}
