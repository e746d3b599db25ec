import { gatewayOperations, type Operation, type RequestOf } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { createRequestQueue, type RequestQueueLimits, runIn } from '@mostrador/kit/rpc/request-queue';
import { serializeReply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from './dependencies.ts';
import { getEnvironment } from './environment/get-environment.ts';
import type { OwnHandler } from './own-handler.ts';
import { getLeadReport } from './reports/get-lead-report.ts';
import { getSummaryReport } from './reports/get-summary-report.ts';
import { getMe } from './stores/get-me.ts';
import { getStore } from './stores/get-store.ts';
import { giveUpWaiting } from './waiting/give-up-waiting.ts';
import { listWaiting } from './waiting/list-waiting.ts';
import { retryWaiting } from './waiting/retry-waiting.ts';

type Own = typeof gatewayOperations;

/** A missing handler is a type error. */
const createHandlers = (dependencies: Dependencies): { readonly [Name in keyof Own]: OwnHandler<Own[Name]> } => ({
  getStore: getStore(dependencies),
  getMe: getMe(dependencies),
  listWaiting: listWaiting(dependencies),
  retryWaiting: retryWaiting(dependencies),
  giveUpWaiting: giveUpWaiting(dependencies),
  getEnvironment: getEnvironment(dependencies),
  getSummaryReport: getSummaryReport(dependencies),
  getLeadReport: getLeadReport(dependencies),
});

/** As in a service: one store has at most half of the places. */
const limits: RequestQueueLimits = { concurrency: 64, queue: 256, perStore: 32 };

/** The client of the services, which answers the gateway's own operations in this process. */
export function withOwnOperations(dependencies: Dependencies): RpcClient {
  const { rpc } = dependencies;
  const queue = createRequestQueue(limits);
  const handlers = createHandlers(dependencies);
  const own = new Map<Operation, OwnHandler<Operation>>(
    Object.entries(gatewayOperations).map(([name, operation]) => [
      operation,
      handlers[name as keyof Own] as OwnHandler<Operation>,
    ]),
  );
  // `requestReader` has validated the request.
  const carryOut = async <O extends Operation>(operation: O, request: RequestOf<O>, context: CallContext) => {
    const { storeId = '' } = context;
    const handle = own.get(operation) as OwnHandler<O>;
    return await runIn(queue, storeId, () => handle({ ...context, storeId }, request));
  };
  return {
    call: (operation, request, context) =>
      own.has(operation) ? carryOut(operation, request, context) : rpc.call(operation, request, context),
    async forward(operation, request, context) {
      if (!own.has(operation)) return await rpc.forward(operation, request, context);
      const answer = await carryOut(operation, request, context);
      return { body: serializeReply(operation, answer), headers: { replayed: false } };
    },
  };
}
