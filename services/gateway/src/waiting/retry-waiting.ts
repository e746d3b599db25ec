import {
  type retryWaiting as operation,
  retryWaitingDeliveries,
  retryWaitingMessages,
  retryWaitingScheduling,
  type WaitingService,
  waitingKinds,
} from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';

const operations = {
  scheduling: retryWaitingScheduling,
  messaging: retryWaitingMessages,
  events: retryWaitingDeliveries,
} as const satisfies Record<WaitingService, unknown>;

export const retryWaiting =
  ({ rpc }: Pick<Dependencies, 'rpc'>): Handler<typeof operation> =>
  async (context, { body }) => {
    requireRole(context, 'owner');
    return await rpc.call(operations[waitingKinds[body.kind]], { body }, context);
  };
