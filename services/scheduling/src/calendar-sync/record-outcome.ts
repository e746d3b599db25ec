import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Blocked } from '@mostrador/kit/resilience/circuit';
import { done, failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import type { CalendarError, EventReference } from '../calendars/calendar-provider.ts';
import { markConnectionRefused } from '../calendars/connection.repository.ts';
import { markSyncsRefused, recordFailed, recordNotMade, recordRejected, recordSynced } from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { delayAfter, needsAttention, reasonOf, waitWhile } from './next-move.ts';

/** The outcome of an attempt. `not_called`: the circuit blocked the call after the claim. */
export type Outcome =
  | { readonly kind: 'done'; readonly event: EventReference | null }
  | { readonly kind: 'failed'; readonly error: CalendarError }
  | { readonly kind: 'not_called'; readonly blocked: Blocked };

/** Records the outcome of an attempt. Without the lease it records nothing, and the next step reads the row again. */
export async function recordOutcome(sql: TransactionSql, claimed: Claimed, outcome: Outcome): Promise<NextStep> {
  const { attempt, appointment } = claimed;
  switch (outcome.kind) {
    case 'done': {
      const state = await recordSynced(sql, attempt, appointment.version, outcome.event);
      return state === 'synced' ? done('synced') : lookAgain();
    }
    case 'not_called': {
      const until = await recordNotMade(sql, attempt, waitWhile(outcome.blocked));
      return until ? waitUntil(until, reasonOf(outcome.blocked)) : lookAgain();
    }
    case 'failed':
      return await recordFailure(sql, claimed, outcome.error);
  }
}

async function recordFailure(sql: TransactionSql, claimed: Claimed, error: CalendarError): Promise<NextStep> {
  const { attempt, appointment, connection, attempts } = claimed;
  switch (error.kind) {
    case 'unavailable':
    case 'throttled': {
      const until = await recordFailed(sql, attempt, error, delayAfter(error, attempts));
      return until ? waitUntil(until, failedReason(error.code, attempts)) : lookAgain();
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
