import { type OperatorService, type OperatorWaitingOperations, operatorWaitingOperationsOf } from './core/waiting.ts';

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
export const {
  stores: listAssistantWaitingStores,
  list: listOperatorAssistant,
  retry: retryOperatorAssistant,
  giveUp: giveUpOperatorAssistant,
} = operatorWaitingOperationsOf('assistant');

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
  assistant: {
    stores: listAssistantWaitingStores,
    list: listOperatorAssistant,
    retry: retryOperatorAssistant,
    giveUp: giveUpOperatorAssistant,
  },
} as const satisfies Record<OperatorService, OperatorWaitingOperations>;
