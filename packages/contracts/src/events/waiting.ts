import { waitingOperationsOf } from '../core/waiting.ts';

export const {
  list: listWaitingDeliveries,
  retry: retryWaitingDeliveries,
  giveUp: giveUpWaitingDeliveries,
} = waitingOperationsOf('events');
