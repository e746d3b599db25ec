import { AppError } from '../rpc/errors.ts';
import { isSocketFailure } from './socket.ts';

/** Where an operation failed. Only a lost COMMIT leaves the outcome unknown. */
export type Phase = 'before commit' | 'committing';

/** PostgreSQL refused a commit, because the deadline had passed. Nothing was done. */
export class TooLate extends Error {}

export const isTooLate = (error: unknown): boolean => error instanceof AppError && error.cause instanceof TooLate;

/** What a failure means to the caller. `again`: nothing was done, and a retry of the same work may succeed now. */
type Meaning = 'again' | 'unavailable' | 'timeout' | 'ours';

/** These end a connection. A further operation needs another one. */
const lostConnection = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '25006', // read_only_sql_transaction: after a failover this server is no longer the primary
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
]);

/** By SQLSTATE (PostgreSQL documentation, appendix A), longest prefix first. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ['40001', 'again'], // serialization_failure
  ['40P01', 'again'], // deadlock_detected
  ['55P03', 'unavailable'], // lock_not_available: lock_timeout
  ['57014', 'timeout'], // query_canceled: statement_timeout
  ['25P03', 'timeout'], // idle_in_transaction_session_timeout
  ['25P04', 'timeout'], // transaction_timeout
  ['08', 'unavailable'], // connection exceptions
  ['53', 'unavailable'], // insufficient resources: too many connections, disk full
];

export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * The server ended the session, or did not begin it: a wrong password (28P01), no such database (3D000), no permission to
 * connect (42501). This process cannot use its database.
 */
const endedSession = (error: unknown): boolean => (error as { severity?: unknown } | null)?.severity === 'FATAL';

/** The server refused a statement, and rolled its transaction back. */
export const isError = (error: unknown): boolean => (error as { severity?: unknown } | null)?.severity === 'ERROR';

/** An earlier statement of the transaction failed, so this one did not run: 25P02, in_failed_sql_transaction. */
export const isConsequence = (error: unknown): boolean => codeOf(error) === '25P02';

export const isLostConnection = (error: unknown): boolean =>
  isSocketFailure(error) ||
  lostConnection.has(codeOf(error) ?? '') ||
  (endedSession(error) && meaningOf(error) === 'unavailable');

/** A migration changed the columns of a prepared statement, so the connection that prepared it must be closed. */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';

function meaningOf(error: unknown): Meaning {
  const code = codeOf(error);
  if (isSocketFailure(error)) return 'unavailable';
  if (code === undefined) return 'ours';
  if (isStalePlan(error)) return 'again';
  if (lostConnection.has(code)) return 'unavailable';
  const meaning = meanings.find(([prefix]) => code.startsWith(prefix))?.[1];
  return meaning ?? (endedSession(error) ? 'unavailable' : 'ours');
}

/** Deadlocks, serialization failures and stale plans: nothing was done, so the same work may run again at once. */
export const mayRunAgain = (error: unknown): boolean => meaningOf(error) === 'again';

export const unavailable = (cause?: unknown): AppError =>
  new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
export const timedOut = (cause?: unknown): AppError => new AppError('upstream_timeout', { cause });

/** The error that the pool throws to its caller. */
export function failureOf(error: unknown, phase: Phase): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof TooLate) return unavailable(error);
  const meaning = meaningOf(error);
  if (meaning === 'ours') return error;
  if (meaning === 'timeout') return timedOut(error);
  return phase === 'committing' ? timedOut(error) : unavailable(error);
}
