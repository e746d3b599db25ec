import { randomUUID } from 'node:crypto';
import { type Authorized, checkPersonSessions, mostCheckedSessions } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { periodically } from '@mostrador/kit/process/periodic';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Caller } from '../access/access.ts';
import { createBatches } from '../access/batches.ts';

/** A session that a stream follows. */
export type FollowedSession = {
  /**
   * Who the person is, as accounts said at most 2 s ago. Throws `invalid_session` when accounts refuses the session, and
   * `service_unavailable` when it has said nothing for longer.
   */
  caller(): Caller;
  /** The stream has ended. */
  release(): void;
};

export type SessionChecks = {
  /** Asks accounts about a session, together with others that are asked about at the same time. Null: it opens nothing. */
  ask(token: string): Promise<Caller | null>;
  /** Has the session checked again and again, once for all its streams. `caller` is who accounts has just said it is. */
  follow(token: string, caller: Caller): FollowedSession;
  start(): void;
  stop(): Promise<void>;
};

type Followed = { streams: number; caller: Caller | null; saidAtMs: number };

/** A page sends some requests at once, and goes on as a person does. */
export const personRequestsPerMinute = 1200;
/** With the check of the streams every 400 ms, a stream ends within 2 s of the end of its session. */
const checkEveryMs = 800;
/** An answer that is older shows nothing any more, and a refusal in it still counts. */
const checkLimitMs = 3_000;
const freshForMs = 2_000;
const requestsAtOnce = 4;
/** More sessions than a gateway can be asked about in the time of a request. */
const mostWaiting = 10_000;

/** The role of a person decides what they may call. */
const noScopes: ReadonlySet<never> = new Set();

export const toCaller = (authorized: Authorized): Caller => ({
  callerId: authorized.session_id,
  ...(authorized.user_name !== undefined && { name: authorized.user_name }),
  storeId: authorized.store_id,
  tier: authorized.tier,
  country: authorized.country,
  requestsPerMinute: personRequestsPerMinute,
  scopes: noScopes,
  person: { userId: authorized.user_id, role: authorized.role, sellerId: authorized.seller_id },
});

/**
 * Checks many sessions with few requests. What accounts said last about a followed session counts until it says something
 * else: a check that fails ends nothing, since accounts may be restarting.
 */
export function createSessionChecks({ rpc, log }: { rpc: RpcClient; log: Log }): SessionChecks {
  const followed = new Map<string, Followed>();
  let failing = false;

  const check = async (tokens: string[]): Promise<(Caller | null)[]> => {
    const context = { requestId: `sessions-${randomUUID()}`, deadline: Date.now() + checkLimitMs };
    const { sessions } = await rpc.call(checkPersonSessions, { body: { tokens } }, context);
    return sessions.map((session) => session && toCaller(session));
  };
  const ask = createBatches<string, Caller | null>({
    read: check,
    ...{ mostTogether: mostCheckedSessions, readsAtOnce: requestsAtOnce, mostWaiting },
  });

  const checkSome = async (tokens: string[]) => {
    const askedAtMs = performance.now();
    const callers = await check(tokens);
    for (const [index, token] of tokens.entries()) {
      const session = followed.get(token);
      if (!session) continue;
      Object.assign(session, { caller: callers[index] ?? null, saidAtMs: askedAtMs });
      // To the end, so that a run which fails goes on with those that were not checked.
      followed.delete(token);
      followed.set(token, session);
    }
  };
  const checkAll = async () => {
    const tokens = [...followed.keys()];
    let next = 0;
    let failure: unknown;
    const checkRest = async () => {
      while (next < tokens.length && failure === undefined) {
        const some = tokens.slice(next, next + mostCheckedSessions);
        next += mostCheckedSessions;
        await checkSome(some).catch((error) => {
          failure = error;
        });
      }
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, checkRest));
    // Logged once for an outage, not for every check.
    if (failure !== undefined && !failing) {
      log.warn({ err: failure, sessions: tokens.length }, 'the sessions of streams cannot be checked');
    }
    if (failure === undefined && failing) log.info('the sessions of streams can be checked again');
    failing = failure !== undefined;
  };
  const checks = periodically({ name: 'check of sessions', everyMs: checkEveryMs, log, run: checkAll });

  return {
    ask,
    follow(token, caller) {
      const session = followed.get(token) ?? { streams: 0, caller, saidAtMs: 0 };
      session.streams += 1;
      Object.assign(session, { caller, saidAtMs: performance.now() });
      followed.set(token, session);
      let isReleased = false;
      return {
        caller() {
          if (session.caller === null) throw new AppError('invalid_session');
          if (performance.now() - session.saidAtMs <= freshForMs) return session.caller;
          throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          session.streams -= 1;
          if (session.streams === 0) followed.delete(token);
        },
      };
    },
    start: checks.start,
    stop: checks.stop,
  };
}
