import { waitingOperationsOf } from '../core/waiting.ts';

export const {
  list: listWaitingScheduling,
  retry: retryWaitingScheduling,
  giveUp: giveUpWaitingScheduling,
} = waitingOperationsOf('scheduling');
