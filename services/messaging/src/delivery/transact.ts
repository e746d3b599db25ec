import { setTimeout as pause } from 'node:timers/promises';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findContact } from '../conversations/find-contact.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Claimed, Contact } from './claim-next.ts';
import { type Outcome, recordOutcome } from './record-outcome.ts';

const pauseBeforeRetryMs = 250;

/** The statements of one transaction. They add to `settled` the messages whose outcome they decided. */
export type Work<T> = (sql: TransactionSql, settled: string[]) => Promise<T>;

/** Runs one transaction, then notifies the requests that wait for the outcomes it decided. */
export async function transact<T>(
  { database, outcomes }: Pick<Dependencies, 'database' | 'outcomes'>,
  scope: { readonly storeId: string; readonly deadline: number },
  work: Work<T>,
): Promise<T> {
  let settled: string[] = [];
  const result = await database.write(scope, (sql) => {
    settled = [];
    return work(sql, settled);
  });
  for (const id of settled) outcomes.announce(id);
  return result;
}

/**
 * Records the outcome of an attempt, and does `andThen` in the same transaction. If that fails, it records the outcome
 * alone, and returns undefined. One cause is that another lead of the store got the same `wa_id` at the same moment: that
 * lead keeps it.
 */
export async function recordAnd<T>(
  dependencies: Pick<Dependencies, 'database' | 'outcomes' | 'limits'>,
  claimed: Claimed,
  outcome: Outcome,
  andThen?: Work<T>,
): Promise<T | undefined> {
  const { limits } = dependencies;
  // The outcome is recorded even when the caller has timed out.
  const deadline = Date.now() + limits.leaseMs - limits.callLimitMs;
  const { storeId } = claimed.attempt;
  const record = (known: Outcome, next: Work<T> | undefined) =>
    transact(dependencies, { storeId, deadline }, async (sql, settled) => {
      const { settled: id, pending } = await recordOutcome(sql, claimed, known, limits);
      if (id) settled.push(id);
      const [then] = await Promise.all([next?.(sql, settled), pending]);
      return then;
    });
  return await record(outcome, andThen).catch(() => record(withoutWaId(outcome), undefined));
}

/**
 * Records an outcome, with further attempts for as long as a lease lasts. An acceptance counts even after that. Once
 * `stopping` is aborted, the attempt that runs is the last one.
 */
export async function recordSurely(
  dependencies: Pick<Dependencies, 'database' | 'outcomes' | 'limits'>,
  claimed: Claimed,
  outcome: Outcome,
  stopping: AbortSignal,
): Promise<void> {
  const untilMs = Date.now() + dependencies.limits.leaseMs;
  for (;;) {
    try {
      await recordAnd(dependencies, claimed, outcome);
      return;
    } catch (error) {
      if (stopping.aborted || Date.now() >= untilMs) throw error;
      await pause(pauseBeforeRetryMs);
    }
  }
}

const withoutWaId = (outcome: Outcome): Outcome =>
  outcome.kind === 'succeeded' ? { ...outcome, accepted: { ...outcome.accepted, waId: null } } : outcome;

/** Where crm says that the lead is reached. */
export async function askContact(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: CallContext,
  leadId: string,
): Promise<Contact> {
  try {
    const { customer_phone, channel_user_id } = await findContact(rpc, context, leadId);
    const address = customer_phone ?? channel_user_id;
    return address ? { address } : 'gone';
  } catch (error) {
    if (error instanceof AppError && error.code === 'lead_not_found') return 'gone';
    throw error;
  }
}
