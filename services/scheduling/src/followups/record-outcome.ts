import type { acceptMessage, FollowupCancelReason, NextStep, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { done, failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import {
  type AttemptError,
  recordAccepted,
  recordCancelled,
  recordFailed,
  recordRefusedForNow,
  recordSent,
} from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { followupEvents } from './followup.ts';
import { delayAfter } from './next-move.ts';

/** Messaging's event wakes the workflow when the message is settled. So in the long run it asks once an hour only. */
const askAgainSeconds = [1, 2, 5, 10, 30, 60, 300, 900, 3600];
/** How long a store may lack a channel, counted from the first attempt. Waiting for a sending window does not count. */
const patienceMs = 24 * 60 * 60_000;

const cancelledBy: Partial<Record<string, FollowupCancelReason>> = {
  lead_replied: 'lead_replied',
  lead_opted_out: 'opted_out',
  lead_not_found: 'lead_deleted',
};

// These functions record under the lease. Without it they write nothing, and the next step reads the row again.

/** Records the status of the message in messaging. */
export async function recordReply(
  sql: TransactionSql,
  claimed: Claimed,
  { status, error }: ReplyOf<typeof acceptMessage>,
): Promise<NextStep> {
  const { attempt, followup } = claimed;
  switch (status) {
    case 'sent':
    case 'delivered':
    case 'read': {
      const sent = await recordSent(sql, attempt);
      if (!sent) return lookAgain();
      await appendOutbox(sql, attempt.storeId, followupEvents.sent(sent));
      return done('sent');
    }
    case 'failed':
      return await fail(sql, claimed, error ?? { code: 'failed', detail: 'The channel rejected the message.' }, true);
    case 'cancelled':
      return await cancel(sql, claimed, 'api', true);
    default: {
      const asked = followup.message_id === null ? 1 : attempt.attempts;
      const seconds = askAgainSeconds[Math.min(asked, askAgainSeconds.length) - 1] as number;
      const until = await recordAccepted(sql, attempt, seconds * 1000);
      return until ? waitUntil(until, `the message is ${status}`) : lookAgain();
    }
  }
}

/** Records that messaging rejected the message. Returns undefined when the error leaves the outcome open. */
export async function recordRefusal(
  sql: TransactionSql,
  claimed: Claimed,
  error: unknown,
): Promise<NextStep | undefined> {
  if (!(error instanceof AppError)) return undefined;
  const { attempt } = claimed;
  const reason = cancelledBy[error.code];
  if (reason) return await cancel(sql, claimed, reason, false);
  if (error.code === 'messaging_window_closed') return await fail(sql, claimed, error, false);
  if (error.code !== 'channel_not_connected') return undefined;
  if (Date.now() - attempt.firstAttemptAt.getTime() > patienceMs) return await fail(sql, claimed, error, false);
  const until = await recordRefusedForNow(sql, attempt, error, delayAfter(attempt.attempts));
  return until ? waitUntil(until, failedReason(error.code, attempt.attempts)) : lookAgain();
}

async function cancel(
  sql: TransactionSql,
  { attempt }: Claimed,
  reason: FollowupCancelReason,
  becameMessage: boolean,
): Promise<NextStep> {
  const cancelled = await recordCancelled(sql, attempt, reason, becameMessage);
  if (!cancelled) return lookAgain();
  await appendOutbox(sql, attempt.storeId, followupEvents.cancelled(cancelled, reason));
  return done(`cancelled (${reason})`);
}

async function fail(
  sql: TransactionSql,
  { attempt }: Claimed,
  { code, detail }: AttemptError,
  becameMessage: boolean,
): Promise<NextStep> {
  const failed = await recordFailed(sql, attempt, { code, detail }, becameMessage);
  if (!failed) return lookAgain();
  await appendOutbox(sql, attempt.storeId, followupEvents.failed(failed, code));
  return done(`failed (${code})`);
}
