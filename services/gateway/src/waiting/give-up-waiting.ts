import {
  giveUpWaitingDeliveries,
  giveUpWaitingMessages,
  giveUpWaitingScheduling,
  type giveUpWaiting as operation,
  type WaitingService,
  waitingKinds,
} from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';

const operations = {
  scheduling: giveUpWaitingScheduling,
  messaging: giveUpWaitingMessages,
  events: giveUpWaitingDeliveries,
} as const satisfies Record<WaitingService, unknown>;

export const giveUpWaiting =
  ({ rpc }: Pick<Dependencies, 'rpc'>): Handler<typeof operation> =>
  async (context, { body }) => {
    requireRole(context, 'owner');
    return await rpc.call(operations[waitingKinds[body.kind]], { body }, context);
  };
