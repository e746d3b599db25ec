import { waitingOperationsOf } from '../core/waiting.ts';

export const {
  list: listWaitingMessages,
  retry: retryWaitingMessages,
  giveUp: giveUpWaitingMessages,
} = waitingOperationsOf('messaging');
