import { hash } from 'node:crypto';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyRequest } from 'fastify';
import { readSessionCookie } from '../http/session-cookie.ts';
import { createTokenBuckets } from '../plugins/token-bucket.ts';
import { createRefusalLimit } from './login-limit.ts';
import { personRequestsPerMinute, type SessionChecks } from './session-checks.ts';

/** Protects accounts from requests with false sessions, and no person from those of their network. */
export type SessionGuard = {
  /**
   * Asks accounts in the session of a request. Nothing is asked about a cookie that cannot be one. When accounts has refused
   * many sessions to the network, it is asked first whether this one is open, together with others: that costs it little,
   * and an open session goes on whatever its network sends.
   *
   * @throws AppError `invalid_session` without a session, `quota_exceeded` for a false one of such a network
   */
  ask<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>;
  /** Throws `quota_exceeded` when a session is used too often, and `invalid_session` without one. */
  pace(request: FastifyRequest): void;
};

const mostSessions = 100_000;

export function createSessionGuard(checks: Pick<SessionChecks, 'ask'>): SessionGuard {
  const refusals = createRefusalLimit();
  const requests = createTokenBuckets({ maximumKeys: mostSessions });
  return {
    async ask(request, work) {
      const token = readSessionCookie(request);
      if (token === undefined) throw new AppError('invalid_session');
      const retryAfterSeconds = refusals.take(request.ip);
      if (retryAfterSeconds > 0) {
        if ((await checks.ask(token)) === null) throw new AppError('quota_exceeded', { retryAfterSeconds });
        return await work();
      }
      let isRefused = false;
      try {
        return await work();
      } catch (error) {
        isRefused = error instanceof AppError && error.code === 'invalid_session';
        throw error;
      } finally {
        if (!isRefused) refusals.giveBack(request.ip);
      }
    },
    pace(request) {
      const token = readSessionCookie(request);
      if (token === undefined) throw new AppError('invalid_session');
      const key = hash('sha256', token, 'base64');
      const { allowed, retryAfterSeconds } = requests.take(key, personRequestsPerMinute, performance.now());
      if (!allowed) throw new AppError('quota_exceeded', { retryAfterSeconds });
    },
  };
}
