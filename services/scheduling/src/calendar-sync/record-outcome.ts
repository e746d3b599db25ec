import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Blocked } from '@mostrador/kit/resilience/circuit';
import type { Outcome as AnyOutcome, RecordOutcome } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import { appointmentChangeRefused } from '../appointments/appointment.ts';
import { expectGone } from '../calendar-watch/object.repository.ts';
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
  const { attempt, appointment, connection } = claimed;
  switch (outcome.kind) {
    case 'succeeded': {
      const { event } = outcome;
      const { version } = appointment;
      const state = await recordSynced(sql, attempt, { version, timeMark: claimed.timeMark }, event);
      const lost = state && event && lostChange(claimed, event);
      if (lost) await appendOutbox(sql, attempt.storeId, [appointmentChangeRefused(appointment, lost)]);
      // The next look at the calendar cancels the appointment, unless most events are gone.
      if (state && event?.isDeleted && claimed.staysDeleted) {
        await expectGone(sql, { storeId: attempt.storeId, id: connection.id }, event.href, appointment.id);
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

/** What a person did to the event and the write undid, because Mostrador has another time since. */
function lostChange(
  { replacesEdit, staysDeleted }: Claimed,
  { replaced, isDeleted }: WrittenEvent,
): Parameters<typeof appointmentChangeRefused>[1] | undefined {
  const reason = 'changed_meanwhile';
  if (isDeleted) return staysDeleted ? undefined : { startsAt: null, durationMinutes: 0, reason };
  if (!replaced || replacesEdit) return undefined;
  const startsAt = replaced.start === null ? null : new Date(replaced.start);
  return { startsAt, durationMinutes: replaced.durationMinutes, reason };
}

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
