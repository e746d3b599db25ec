import {
  cancelWebhookReplay,
  createWebhookEndpoint,
  createWebhookReplay,
  deleteWebhookEndpoint,
  type Event,
  getWebhookDelivery,
  getWebhookEndpoint,
  getWebhookReplay,
  listWebhookDeliveries,
  listWebhookEndpoints,
  retryWebhookDelivery,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookReplay,
  webhookTestType,
} from '@mostrador/contracts';
import { type ExampleOfOperation, example, listOf } from './example.ts';
import { ids } from './optician.ts';

const params = { endpointId: ids.endpoint };
const secret = 'whsec_bW9zdHJhZG9yLWRvY3MtZXhhbXBsZS1rZXktMDEyMzQ=';
const endpoint: WebhookEndpoint = {
  id: ids.endpoint,
  url: 'https://erp.example.com/mostrador',
  description: 'Agenda do ERP',
  event_types: ['appointment.created', 'appointment.updated'],
  ordering: 'entity',
  payload: 'object',
  max_in_flight: 5,
  status: 'enabled',
  disabled_reason: null,
  public_key: null,
  health: {
    last_success_at: '2026-01-12T13:06:03.201Z',
    failing_since: null,
    next_attempt_at: null,
    pending: 0,
    oldest_pending_at: null,
  },
  created_by: { kind: 'api_key', id: 'Gk3vT8sQ1xLm9dZa' },
  created_at: '2026-01-12T12:40:00.311Z',
  updated_at: '2026-01-12T12:40:00.311Z',
};
const unused: WebhookEndpoint = { ...endpoint, health: { ...endpoint.health, last_success_at: null } };

const delivery: WebhookDelivery = {
  id: ids.delivery,
  endpoint_id: ids.endpoint,
  event_id: ids.event,
  event_type: 'appointment.created',
  sequence: 42,
  status: 'succeeded',
  attempts: 1,
  next_attempt_at: null,
  error: null,
  replay_id: null,
  created_at: '2026-01-12T13:06:03.012Z',
  completed_at: '2026-01-12T13:06:03.201Z',
};
const open: WebhookDelivery = {
  ...delivery,
  status: 'pending',
  next_attempt_at: '2026-01-12T14:10:00.000Z',
  completed_at: null,
};

const replay: WebhookReplay = {
  id: ids.replay,
  endpoint_id: ids.endpoint,
  status: 'running',
  only: 'failed',
  from_sequence: 30,
  to_sequence: 48,
  types: null,
  looked_through: 29,
  deliveries: { total: 0, pending: 0, succeeded: 0, failed: 0 },
  created_at: '2026-01-12T14:20:00.118Z',
  ended_at: null,
};
const replayParams = { ...params, replayId: ids.replay };
const deliveryParams = { ...params, deliveryId: ids.delivery };

/** What a test of the endpoint sends. */
export const exampleTest: Event = {
  id: `${ids.event.slice(0, -2)}00`,
  type: webhookTestType,
  created_at: '2026-01-12T13:05:00.000Z',
  sequence: 0,
  store_id: ids.store,
  entity: { type: 'webhook_endpoint', id: ids.endpoint, version: 1 },
  data: { endpoint_id: ids.endpoint },
};

export const webhookExamples: readonly ExampleOfOperation[] = [
  example(
    createWebhookEndpoint,
    { body: { url: endpoint.url, description: endpoint.description, event_types: endpoint.event_types } },
    { ...unused, secret },
  ),
  example(listWebhookEndpoints, { query: {} }, listOf([endpoint])),
  example(getWebhookEndpoint, { params }, endpoint),
  example(
    updateWebhookEndpoint,
    { params, body: { status: 'enabled', resume_from: 40 } },
    { ...endpoint, updated_at: '2026-01-12T14:10:00.114Z' },
  ),
  example(deleteWebhookEndpoint, { params }, { deleted: true, id: ids.endpoint }),
  example(
    rotateWebhookSecret,
    { params, body: { overlap_hours: 24 } },
    { id: ids.endpoint, secret, public_key: null, previous_valid_until: '2026-01-13T14:10:00.114Z' },
  ),
  example(testWebhookEndpoint, { params }, { ...open, event_type: 'webhook.test', sequence: null, attempts: 0 }),
  example(listWebhookDeliveries, { params, query: { status: 'succeeded' } }, listOf([delivery])),
  example(
    getWebhookDelivery,
    { params: deliveryParams },
    {
      ...delivery,
      log: [
        {
          number: 1,
          started_at: '2026-01-12T13:06:03.020Z',
          duration_ms: 181,
          response_status: 200,
          response_body: 'ok',
          error: null,
        },
      ],
    },
  ),
  example(retryWebhookDelivery, { params: deliveryParams }, open),
  example(createWebhookReplay, { params, body: { from_sequence: 30, only: 'failed' } }, replay),
  example(
    getWebhookReplay,
    { params: replayParams },
    { ...replay, looked_through: 48, deliveries: { total: 3, pending: 1, succeeded: 2, failed: 0 } },
  ),
  example(
    cancelWebhookReplay,
    { params: replayParams },
    { ...replay, status: 'cancelled', ended_at: '2026-01-12T14:21:07.530Z' },
  ),
];
