import type { acceptMessage, FollowupCancelReason, NextStep, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Outcome as AnyOutcome, AttemptError, RecordOutcome } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import {
  recordAccepted,
  recordCancelled,
  recordFailed,
  recordNotCalled,
  recordRefusedForNow,
  recordSent,
} from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { followupEvents } from './followup.ts';
import { delayAfter, nextLook } from './next-move.ts';

/** `succeeded`: messaging has the message. `failed`: it rejected it. `not_called`: no process got the request. */
export type Outcome = AnyOutcome<
  { readonly message: ReplyOf<typeof acceptMessage> },
  { readonly error: AppError },
  object
>;

/** Messaging's event wakes the workflow when the message is settled. So in the long run it asks once an hour only. */
const askAgainSeconds = [1, 2, 5, 10, 30, 60, 300, 900, 3600];
/** How long a store may lack a channel, counted from the first attempt. Waiting for a sending window does not count. */
const patienceMs = 24 * 60 * 60_000;

/** A message that messaging did not accept, or cancelled, because the follow-up has expired. */
const messageExpired = 'message_expired';

const cancelledBy: Partial<Record<string, FollowupCancelReason>> = {
  lead_replied: 'lead_replied',
  lead_opted_out: 'opted_out',
  lead_not_found: 'lead_deleted',
  [messageExpired]: 'expired',
};

const rejections = [
  ...['messaging_window_closed', 'channel_not_connected', 'message_budget_reached'],
  ...Object.keys(cancelledBy),
];

/** The outcome that an error of the request to messaging tells. Undefined when the message may have been accepted. */
export function outcomeOf(error: unknown): Exclude<Outcome, { kind: 'succeeded' }> | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (error.code === 'service_unavailable') return { kind: 'not_called' };
  return rejections.includes(error.code) ? { kind: 'failed', error } : undefined;
}

/** Without the lease it records nothing, and the next step reads the row again. */
export const recordOutcome: RecordOutcome<Claimed, Outcome> = async (sql, claimed, outcome) => {
  switch (outcome.kind) {
    case 'succeeded':
      return await recordStatus(sql, claimed, outcome.message);
    case 'not_called':
      await recordNotCalled(sql, claimed.attempt);
      return lookAgain();
    case 'failed':
      return await recordRejection(sql, claimed, outcome.error);
  }
};

/** Records the status of the message in messaging. */
async function recordStatus(
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
      return await cancel(sql, claimed, error?.code === messageExpired ? 'expired' : 'api', true);
    default: {
      const asked = followup.message_id === null ? 1 : attempt.number;
      const seconds = askAgainSeconds[Math.min(asked, askAgainSeconds.length) - 1] as number;
      const until = await recordAccepted(sql, attempt, seconds * 1000);
      if (!until) return lookAgain();
      // At `expires_at` the question makes messaging cancel a message that still waits. After it, the message is on its way.
      const isTimely = followup.expires_at && followup.expires_at.getTime() > until.getTime() - seconds * 1000;
      return waitUntil(isTimely ? nextLook(followup, until) : until, `the message is ${status}`);
    }
  }
}

async function recordRejection(sql: TransactionSql, claimed: Claimed, error: AppError): Promise<NextStep> {
  const { attempt, firstAttemptAt, followup } = claimed;
  const reason = cancelledBy[error.code];
  if (reason) return await cancel(sql, claimed, reason, false);
  const isPatient = error.code === 'channel_not_connected' && Date.now() - firstAttemptAt.getTime() <= patienceMs;
  if (!isPatient) return await fail(sql, claimed, error, false);
  const until = await recordRefusedForNow(sql, attempt, error, delayAfter(attempt.number));
  return until ? waitUntil(nextLook(followup, until), failedReason(error.code, attempt.number)) : lookAgain();
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
