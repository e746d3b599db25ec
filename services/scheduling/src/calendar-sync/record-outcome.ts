import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Blocked } from '@mostrador/kit/resilience/circuit';
import type { Outcome as AnyOutcome, RecordOutcome } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import { appointmentChangeRefused } from '../appointments/appointment.ts';
import type { CalendarError, WrittenEvent } from '../calendars/calendar-provider.ts';
import { markConnectionRefused } from '../calendars/connection.repository.ts';
import { markSyncsRefused, recordFailed, recordNotCalled, recordRejected, recordSynced } from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { delayAfter, needsAttention, reasonOf, waitWhile } from './next-move.ts';

export type Outcome = AnyOutcome<
  { readonly event: WrittenEvent | null },
  { readonly error: CalendarError },
  { readonly blocked: Blocked }
>;

/** Without the lease it records nothing, and the next step reads the row again. */
export const recordOutcome: RecordOutcome<Claimed, Outcome> = async (sql, claimed, outcome) => {
  const { attempt, appointment } = claimed;
  switch (outcome.kind) {
    case 'succeeded': {
      const state = await recordSynced(sql, attempt, appointment.version, outcome.event);
      const replaced = claimed.replacesEdit ? null : outcome.event?.replaced;
      if (state && replaced) {
        const startsAt = replaced.start === null ? null : new Date(replaced.start);
        const lost = { startsAt, durationMinutes: replaced.durationMinutes, reason: 'changed_meanwhile' };
        await appendOutbox(sql, attempt.storeId, [appointmentChangeRefused(appointment, lost)]);
      }
      return state === 'synced' ? done('synced') : lookAgain();
    }
    case 'not_called': {
      const until = await recordNotCalled(sql, attempt, waitWhile(outcome.blocked));
      return until ? waitUntil(until, reasonOf(outcome.blocked)) : lookAgain();
    }
    case 'failed':
      return await recordFailure(sql, claimed, outcome.error);
  }
};

async function recordFailure(sql: TransactionSql, claimed: Claimed, error: CalendarError): Promise<NextStep> {
  const { attempt, appointment, connection } = claimed;
  switch (error.kind) {
    case 'unavailable':
    case 'throttled': {
      const until = await recordFailed(sql, attempt, error, delayAfter(error, attempt.number));
      return until ? waitUntil(until, failedReason(error.code, attempt.number)) : lookAgain();
    }
    case 'refused': {
      // The connection row is locked before the sync rows, in the same order as when a connection is replaced.
      await markConnectionRefused(sql, attempt.storeId, connection.id, error);
      const ours = await recordFailed(sql, attempt, error, 0);
      await markSyncsRefused(sql, attempt.storeId, connection.id, error);
      return ours ? needsAttention(error.code) : lookAgain();
    }
    case 'rejected': {
      const state = await recordRejected(sql, attempt, appointment.version, error);
      return state === 'needs_attention' ? needsAttention(error.code) : lookAgain();
    }
  }
}
