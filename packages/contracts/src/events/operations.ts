import { rebuildEventsTotals, verifyEventsTotals } from '../list-totals.ts';
import {
  giveUpOperatorEvents,
  listEventsWaitingStores,
  listOperatorEvents,
  retryOperatorEvents,
} from '../operator-waiting.ts';
import { countEventsSecrets, resealEventsSecrets } from '../secrets.ts';
import { appendEvents, getEvent, listEvents } from './feed.ts';
import { fenceFeeds } from './restore.ts';
import { giveUpWaitingDeliveries, listWaitingDeliveries, retryWaitingDeliveries } from './waiting.ts';
import { listEndpointsOfPerson, pauseEndpointsOfPerson } from './webhook-creator.ts';
import { webhookOperations } from './webhooks.ts';

export const eventsOperations = {
  listEvents,
  getEvent,
  appendEvents,
  fenceFeeds,
  listWaitingDeliveries,
  retryWaitingDeliveries,
  giveUpWaitingDeliveries,
  ...webhookOperations,
  listEndpointsOfPerson,
  pauseEndpointsOfPerson,
  verifyEventsTotals,
  rebuildEventsTotals,
  listEventsWaitingStores,
  listOperatorEvents,
  retryOperatorEvents,
  giveUpOperatorEvents,
  countEventsSecrets,
  resealEventsSecrets,
} as const;
