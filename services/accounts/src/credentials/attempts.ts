import { hash } from 'node:crypto';
import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { countAttempt, forgetAttempts, takeBackAttempt } from './attempts.repository.ts';

/** After this number of wrong passwords in `windowMinutes` an account waits. A login link still opens it. */
const mostAttempts = 10;
export const windowMinutes = 15;

/** Runs a check of a password, and returns what it returns: undefined for a wrong one. */
export type Attempt = <T>(check: () => Promise<T | undefined>) => Promise<T | undefined>;

/**
 * Counts an attempt with a password, before it is made. Every process counts in the same row, and an unknown account counts
 * as a known one. A browser of the person (`device`) counts alone: what others try with the address does not lock it, and
 * what it tries does not lock the others. An attempt that was not checked, because too many passwords wait, does not count.
 *
 * @throws AppError `quota_exceeded` when the account waits
 */
export async function beginAttempt(
  database: SystemDatabase,
  context: Context,
  { email, device }: { email: string; device: string | undefined },
): Promise<Attempt> {
  const name = email.toLowerCase();
  const account = hash('sha256', device === undefined ? name : `device ${device} ${name}`, 'buffer');
  const { attempts, waitSeconds } = await database.write(context, (sql) => countAttempt(sql, account, windowMinutes));
  if (attempts > mostAttempts) {
    const detail = 'Too many wrong passwords. Retry after `Retry-After` seconds, or sign in with a login link.';
    throw new AppError('quota_exceeded', { retryAfterSeconds: Math.max(waitSeconds, 1), detail });
  }
  return async (check) => {
    try {
      const right = await check();
      if (right !== undefined) await database.write(context, (sql) => forgetAttempts(sql, account));
      return right;
    } catch (error) {
      if (error instanceof AppError && error.code === 'service_unavailable') {
        await database.write(context, (sql) => takeBackAttempt(sql, account)).catch(() => {});
      }
      throw error;
    }
  };
}
