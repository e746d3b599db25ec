import { maxInFlight, type NextStep, type drainWebhook as operation } from '@mostrador/contracts';
import { lookAgain, recordingMs } from '@mostrador/kit/delivery/step';
import type { Log } from '@mostrador/kit/process/log';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { claim, type Taken } from './claim-next.ts';
import { makeAttempt } from './make-attempt.ts';

type Drained = {
  readonly storeId: string;
  readonly endpointId: string;
  /** Whether another delivery may begin. */
  readonly mayBegin: () => boolean;
  readonly log: Log;
};

/** The step of the workflow `webhook:<endpoint id>`. It begins no delivery whose answer may come after its deadline. */
export const drainWebhook =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { limits } = dependencies;
    const { storeId, deadline, closing, log } = context;
    // The wait for a slow endpoint holds no place in the request queue.
    return later(() => {
      const mayBegin = () => !closing.aborted && deadline - Date.now() - recordingMs >= limits.callMs;
      // Attempts that still run when the service stops are recorded if they end soon. Otherwise their leases expire.
      const closed = new Promise<NextStep>((resolve) => {
        closing.addEventListener('abort', () => resolve(lookAgain('the service stops')), { once: true });
      });
      return Promise.race([drain(dependencies, { storeId, endpointId: body.endpoint_id, mayBegin, log }), closed]);
    });
  };

/** Sends what is due, up to `max_in_flight` at once, until nothing is due or `mayBegin` says no. */
async function drain(dependencies: Dependencies, { mayBegin, log, ...endpoint }: Drained): Promise<NextStep> {
  const running = new Set<Promise<void>>();
  const take = async (): Promise<Taken> => {
    const taken = await claim(dependencies, { ...endpoint, sender: 'workflow', most: maxInFlight });
    for (const claimed of taken.claimed) {
      const attempt: Promise<void> = makeAttempt(dependencies, claimed, log).then(() => void running.delete(attempt));
      running.add(attempt);
    }
    return taken;
  };
  let { next } = await take();
  while (running.size > 0) {
    await Promise.race(running);
    // The last claim also decides whether the workflow hands the endpoint back.
    next = mayBegin() ? (await take()).next : lookAgain('more may be due');
  }
  return next;
}
