import { hash } from 'node:crypto';
import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { appendFailedSignIn } from '../audit/audit.repository.ts';
import type { OpenedBy } from '../sessions/reach.ts';
import { type Concerned, countFailure, takeEnded } from './failed-sign-in.repository.ts';

/**
 * Failed attempts to sign in are in the audit log, and no attacker fills it: in an hour a person has at most two entries
 * for each way to sign in and network address, of `mostAddresses` addresses and of all others together.
 */
const windowMinutes = 60;
const mostAddresses = 5;
const toldAtOnce = 100;
const limitMs = 10_000;

/** What says that the person did not prove who they are. */
const refusals: ReadonlySet<string> = new Set([
  ...['invalid_credentials', 'wrong_password', 'invalid_login_link', 'oidc_refused', 'quota_exceeded'],
]);

/** Whom an attempt is for. */
export type Whom = Concerned & { readonly account: Uint8Array };

export const ofAddress = (email: string, concerned: Concerned): Whom => ({
  ...concerned,
  account: hash('sha256', email.toLowerCase(), 'buffer'),
});
export const ofUser = (userId: string, storeIds: string[]): Whom => ({
  ...{ userId, storeIds },
  account: hash('sha256', userId, 'buffer'),
});

type Attempt = {
  readonly systemDatabase: SystemDatabase;
  readonly context: Context;
  readonly method: OpenedBy;
  /** Called only when the attempt failed. Undefined: no person has this address. */
  readonly whom: () => Promise<Whom | undefined>;
};

/** Makes an attempt to sign in, and records a failure of it. An address that no person has takes the same work. */
export async function recordingFailure<T>(attempt: Attempt, signIn: () => Promise<T>): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (error instanceof AppError && refusals.has(error.code)) {
      await record(attempt).catch((cause) => {
        attempt.context.log.warn({ err: cause }, 'a failed sign-in is not in the audit log');
      });
    }
    throw error;
  }
}

async function record({ systemDatabase, context, method, whom }: Attempt): Promise<void> {
  const concerned = await whom();
  if (!concerned) return;
  const { requestId, client } = context;
  await systemDatabase.write({ deadline: context.deadline }, async (sql) => {
    const failure = { ...concerned, method, address: client?.address ?? 'unknown', requestId };
    const { address, isFirst } = await countFailure(sql, failure, mostAddresses);
    if (isFirst) await appendFailedSignIn(sql, { ...failure, address });
  });
}

/** Puts the number of attempts that failed after the first into the audit log, when their hour is over. */
export async function tellFailedSignIns(database: SystemDatabase): Promise<void> {
  for (;;) {
    const ended = await database.write({ deadline: Date.now() + limitMs }, async (sql) => {
      const windows = await takeEnded(sql, windowMinutes, toldAtOnce);
      for (const { untold: attempts, ...failure } of windows) {
        if (attempts > 0) await appendFailedSignIn(sql, { ...failure, attempts });
      }
      return windows.length;
    });
    if (ended < toldAtOnce) return;
  }
}
