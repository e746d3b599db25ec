import type { NextStep, drainWebhook as operation } from '@mostrador/contracts';
import { lookAgain, recordingMs } from '@mostrador/kit/delivery/step';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { drainEndpoint } from './drain-endpoint.ts';

/** The step of the workflow `webhook:<endpoint id>`. It begins no delivery whose answer may come after its deadline. */
export const drainWebhook =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { limits } = dependencies;
    const { storeId, deadline, log } = context;
    // The wait for a slow endpoint holds no place in the request queue.
    return later((closing) => {
      const mayBegin = () => !closing.aborted && deadline - Date.now() - recordingMs >= limits.callMs;
      const drained = { storeId, endpointId: body.endpoint_id, sender: 'workflow' as const, mayBegin, log };
      // Attempts that still run when the service stops are recorded if they end soon. Otherwise their leases expire.
      const closed = new Promise<NextStep>((resolve) => {
        closing.addEventListener('abort', () => resolve(lookAgain('the service stops')), { once: true });
      });
      return Promise.race([drainEndpoint(dependencies, drained), closed]);
    });
  };
