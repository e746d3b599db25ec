import { type OperatorWaitingOperations, operatorWaitingOperationsOf, type WaitingService } from './core/waiting.ts';

export const {
  stores: listSchedulingWaitingStores,
  list: listOperatorScheduling,
  retry: retryOperatorScheduling,
  giveUp: giveUpOperatorScheduling,
} = operatorWaitingOperationsOf('scheduling');
export const {
  stores: listMessagingWaitingStores,
  list: listOperatorMessaging,
  retry: retryOperatorMessaging,
  giveUp: giveUpOperatorMessaging,
} = operatorWaitingOperationsOf('messaging');
export const {
  stores: listEventsWaitingStores,
  list: listOperatorEvents,
  retry: retryOperatorEvents,
  giveUp: giveUpOperatorEvents,
} = operatorWaitingOperationsOf('events');

/** What the operator's command asks each service about what waits. */
export const operatorWaitingOperations = {
  scheduling: {
    stores: listSchedulingWaitingStores,
    list: listOperatorScheduling,
    retry: retryOperatorScheduling,
    giveUp: giveUpOperatorScheduling,
  },
  messaging: {
    stores: listMessagingWaitingStores,
    list: listOperatorMessaging,
    retry: retryOperatorMessaging,
    giveUp: giveUpOperatorMessaging,
  },
  events: {
    stores: listEventsWaitingStores,
    list: listOperatorEvents,
    retry: retryOperatorEvents,
    giveUp: giveUpOperatorEvents,
  },
} as const satisfies Record<WaitingService, OperatorWaitingOperations>;
