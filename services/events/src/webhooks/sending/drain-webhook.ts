import { maxInFlight, type NextStep, type drainWebhook as operation } from '@mostrador/contracts';
import { unlessAborted } from '@mostrador/kit/process/abort';
import type { Log } from '@mostrador/kit/process/log';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import type { RowKey } from '@mostrador/kit/step/retry-engine';
import { lookAgain, recordingMs, waitUntil } from '@mostrador/kit/step/step';
import type { Dependencies } from '../../dependencies.ts';
import { claimDue, type Taken } from './claim-next.ts';
import { makeAttempt } from './make-attempt.ts';
import { createShares } from './shares.ts';

type Drained = {
  readonly endpoint: RowKey;
  /** Whether another delivery may begin. */
  readonly mayBegin: () => boolean;
  /** The answer when none may begin any more and more is due. */
  readonly whenOver: () => NextStep;
  readonly log: Log;
};

/** Steps of this process. A worker runs 50 at once, so some of its places always get an answer at once. */
const steps = { most: 40, reserve: 10 };
/** When an endpoint asks again whose store has its share of the steps. */
const againMs = 2_000;
/** How long an endpoint leaves its place to one of the same store that waits. */
const pauseMs = 2 * againMs;

const after = (ms: number, reason: string) => waitUntil(new Date(Date.now() + ms), reason);

/**
 * The step of the workflow `webhook:<endpoint id>`. It begins no delivery whose answer may come after its deadline. Stores
 * have a fair share of the steps, because a slow endpoint keeps its step until the deadline.
 */
export const drainWebhook = (dependencies: Dependencies): Handler<typeof operation> => {
  const { limits } = dependencies;
  const shares = createShares(steps);
  /** Stores of which an endpoint waits for a place. */
  const waiting = new Set<string>();
  return async (context, { body }) => {
    const { storeId, deadline, closing, log } = context;
    // The wait for a slow endpoint holds no place in the request queue.
    return later(async () => {
      if (shares.take(storeId, 1) === 0) {
        waiting.add(storeId);
        return after(againMs, 'other endpoints of the store are sending');
      }
      try {
        const drained = drain(dependencies, {
          endpoint: { storeId, id: body.endpoint_id },
          mayBegin: () => !closing.aborted && deadline - Date.now() - recordingMs >= limits.callMs,
          whenOver: () =>
            waiting.delete(storeId)
              ? after(pauseMs, 'other endpoints of the store have their turn')
              : lookAgain('more may be due'),
          log,
        });
        // Attempts that still run when the service stops are recorded if they end soon. Otherwise their leases expire.
        return await unlessAborted(closing, drained, () => lookAgain('the service stops'));
      } finally {
        shares.give(storeId, 1);
      }
    });
  };
};

/** Sends what is due, up to `max_in_flight` at once, until nothing is due or `mayBegin` says no. */
async function drain(dependencies: Dependencies, { endpoint, mayBegin, whenOver, log }: Drained): Promise<NextStep> {
  const running = new Set<Promise<void>>();
  const take = async (): Promise<Taken> => {
    const taken = await claimDue(dependencies, endpoint, { sender: 'workflow', most: maxInFlight });
    for (const claimed of taken.kind === 'claimed' ? taken.claimed : []) {
      const attempt: Promise<void> = makeAttempt(dependencies, claimed, log).then(() => void running.delete(attempt));
      running.add(attempt);
    }
    return taken;
  };
  let { next } = await take();
  let isOver = false;
  while (running.size > 0) {
    await Promise.race(running);
    // The last claim also decides whether the workflow hands the endpoint back.
    if (mayBegin()) next = (await take()).next;
    else isOver = true;
  }
  return isOver ? whenOver() : next;
}
