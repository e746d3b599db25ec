import {
  cancelWebhookReplay,
  createWebhookEndpoint,
  createWebhookReplay,
  deleteWebhookEndpoint,
  getWebhookDelivery,
  getWebhookEndpoint,
  getWebhookReplay,
  listWebhookDeliveries,
  listWebhookEndpoints,
  retryWebhookDelivery,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '@mostrador/contracts';
import { del, get, patch, post, type Route, route } from './route.ts';

const read = { tag: 'Webhooks', scope: 'webhooks:read' } as const;
const write = { tag: 'Webhooks', scope: 'webhooks:write' } as const;
const endpoints = '/webhooks/endpoints';
const endpoint = `${endpoints}/:endpointId`;
const delivery = `${endpoint}/deliveries/:deliveryId`;
const replay = `${endpoint}/replays/:replayId`;

export const webhookRoutes: readonly Route[] = [
  route(post(endpoints), createWebhookEndpoint, { ...write, status: 201, versioned: true }),
  route(get(endpoints), listWebhookEndpoints, read),
  route(get(endpoint), getWebhookEndpoint, { ...read, versioned: true }),
  route(patch(endpoint), updateWebhookEndpoint, { ...write, versioned: true }),
  route(del(endpoint), deleteWebhookEndpoint, { ...write, versioned: true }),
  route(post(`${endpoint}/secret/rotate`), rotateWebhookSecret, write),
  route(post(`${endpoint}/test`), testWebhookEndpoint, write),
  route(get(`${endpoint}/deliveries`), listWebhookDeliveries, read),
  route(get(delivery), getWebhookDelivery, read),
  route(post(`${delivery}/retry`), retryWebhookDelivery, write),
  route(post(`${endpoint}/replays`), createWebhookReplay, { ...write, status: 202, located: true }),
  route(get(replay), getWebhookReplay, read),
  route(del(replay), cancelWebhookReplay, write),
];
