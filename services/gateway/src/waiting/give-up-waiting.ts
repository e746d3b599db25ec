import {
  giveUpWaitingDeliveries,
  giveUpWaitingMessages,
  giveUpWaitingScheduling,
  type giveUpWaiting as operation,
  type WaitingService,
  waitingKinds,
} from '@mostrador/contracts';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';

const operations = {
  scheduling: giveUpWaitingScheduling,
  messaging: giveUpWaitingMessages,
  events: giveUpWaitingDeliveries,
} as const satisfies Record<WaitingService, unknown>;

export const giveUpWaiting =
  ({ rpc }: Pick<Dependencies, 'rpc'>): OwnHandler<typeof operation> =>
  (context, { body }) =>
    rpc.call(operations[waitingKinds[body.kind]], { body }, context);
