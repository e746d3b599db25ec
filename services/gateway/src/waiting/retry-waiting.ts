import {
  type retryWaiting as operation,
  retryWaitingDeliveries,
  retryWaitingMessages,
  retryWaitingScheduling,
  type WaitingService,
  waitingKinds,
} from '@mostrador/contracts';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';

const operations = {
  scheduling: retryWaitingScheduling,
  messaging: retryWaitingMessages,
  events: retryWaitingDeliveries,
} as const satisfies Record<WaitingService, unknown>;

export const retryWaiting =
  ({ rpc }: Pick<Dependencies, 'rpc'>): OwnHandler<typeof operation> =>
  (context, { body }) =>
    rpc.call(operations[waitingKinds[body.kind]], { body }, context);
