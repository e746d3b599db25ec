import type { eventsOperations } from '@mostrador/contracts';
import { secretHandlers } from '@mostrador/kit/clients/reseal';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { waitingHandlers } from '@mostrador/kit/step/waiting';
import { listTotalHandlers } from '@mostrador/totals/handlers';
import type { Dependencies } from './dependencies.ts';
import { appendEvents } from './feed/append-events.ts';
import { getEvent } from './feed/get-event.ts';
import { listEvents } from './feed/list-events.ts';
import { fenceFeeds } from './restore/fence-feeds.ts';
import { getWebhookDelivery } from './webhooks/deliveries/get-webhook-delivery.ts';
import { listWebhookDeliveries } from './webhooks/deliveries/list-webhook-deliveries.ts';
import { retryWebhookDelivery } from './webhooks/deliveries/retry-webhook-delivery.ts';
import { waitingDeliveries } from './webhooks/deliveries/waiting-deliveries.ts';
import { createWebhookEndpoint } from './webhooks/endpoints/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './webhooks/endpoints/delete-webhook-endpoint.ts';
import { getWebhookEndpoint } from './webhooks/endpoints/get-webhook-endpoint.ts';
import { listEndpointsOfPerson } from './webhooks/endpoints/list-endpoints-of-person.ts';
import { listWebhookEndpoints } from './webhooks/endpoints/list-webhook-endpoints.ts';
import { pauseEndpointsOfPerson } from './webhooks/endpoints/pause-endpoints-of-person.ts';
import { rotateWebhookSecret } from './webhooks/endpoints/rotate-webhook-secret.ts';
import { sealedEndpoints } from './webhooks/endpoints/secrets.ts';
import { testWebhookEndpoint } from './webhooks/endpoints/test-webhook-endpoint.ts';
import { updateWebhookEndpoint } from './webhooks/endpoints/update-webhook-endpoint.ts';
import { cancelWebhookReplay } from './webhooks/replays/cancel-webhook-replay.ts';
import { createWebhookReplay } from './webhooks/replays/create-webhook-replay.ts';
import { getWebhookReplay } from './webhooks/replays/get-webhook-replay.ts';
import { drainWebhook } from './webhooks/sending/drain-webhook.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof eventsOperations> => {
  const waiting = waitingHandlers(
    { webhook_delivery: waitingDeliveries },
    { ...dependencies, afterChange: (storeId) => dependencies.nudgeSender(storeId) },
  );
  const totals = listTotalHandlers(dependencies.listTotals);
  const secrets = secretHandlers(sealedEndpoints, dependencies);
  return {
    listEvents: listEvents(dependencies),
    getEvent: getEvent(dependencies),
    appendEvents: appendEvents(dependencies),
    createWebhookEndpoint: createWebhookEndpoint(dependencies),
    listWebhookEndpoints: listWebhookEndpoints(dependencies),
    getWebhookEndpoint: getWebhookEndpoint(dependencies),
    updateWebhookEndpoint: updateWebhookEndpoint(dependencies),
    deleteWebhookEndpoint: deleteWebhookEndpoint(dependencies),
    listEndpointsOfPerson: listEndpointsOfPerson(dependencies),
    pauseEndpointsOfPerson: pauseEndpointsOfPerson(dependencies),
    rotateWebhookSecret: rotateWebhookSecret(dependencies),
    testWebhookEndpoint: testWebhookEndpoint(dependencies),
    listWebhookDeliveries: listWebhookDeliveries(dependencies),
    getWebhookDelivery: getWebhookDelivery(dependencies),
    retryWebhookDelivery: retryWebhookDelivery(dependencies),
    createWebhookReplay: createWebhookReplay(dependencies),
    getWebhookReplay: getWebhookReplay(dependencies),
    cancelWebhookReplay: cancelWebhookReplay(dependencies),
    drainWebhook: drainWebhook(dependencies),
    fenceFeeds: fenceFeeds(dependencies),
    listWaitingDeliveries: waiting.store.list,
    retryWaitingDeliveries: waiting.store.retry,
    giveUpWaitingDeliveries: waiting.store.giveUp,
    verifyEventsTotals: totals.verify,
    rebuildEventsTotals: totals.rebuild,
    listEventsWaitingStores: waiting.operator.stores,
    listOperatorEvents: waiting.operator.list,
    retryOperatorEvents: waiting.operator.retry,
    giveUpOperatorEvents: waiting.operator.giveUp,
    countEventsSecrets: secrets.count,
    resealEventsSecrets: secrets.reseal,
  };
};
