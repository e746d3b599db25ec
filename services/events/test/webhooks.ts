import { randomUUID } from 'node:crypto';
import {
  appendEvents,
  createWebhookEndpoint,
  drainWebhook,
  eventsOperations,
  type FeedEntry,
  type NextStep,
  type ReplyOf,
  type RequestOf,
  type WebhookDelivery,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { startWebhookReceiver, type WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import type { TestEvents } from './events.ts';

type Endpoint = ReplyOf<typeof createWebhookEndpoint>;
type Settings = Partial<RequestOf<typeof createWebhookEndpoint>['body']>;

/** A store with a webhook endpoint and its receiver. */
export type WebhookStage = {
  readonly storeId: string;
  readonly endpoint: Endpoint;
  readonly receiver: WebhookReceiver;
  /** Appends an event for each entity. Returns their ids. */
  append(...entities: string[]): Promise<string[]>;
  /** Runs the step of the workflow. */
  drain(): Promise<NextStep>;
  /** The deliveries, in the order of their events. */
  deliveries(): Promise<WebhookDelivery[]>;
  /** Lets the time of PostgreSQL's rows pass: moves what waits in this store by a number of milliseconds. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
};

export async function stageWebhook(events: TestEvents, settings: Settings = {}): Promise<WebhookStage> {
  const storeId = randomUUID();
  const receiver = await startWebhookReceiver();
  const context = () => testContext({ storeId });
  const endpoint = await events.rpc.call(
    createWebhookEndpoint,
    { body: { url: receiver.url, ...settings } },
    context(),
  );
  receiver.trust(endpoint.secret);
  const params = { endpointId: endpoint.id };
  return {
    storeId,
    endpoint,
    receiver,
    append: (...entities) => appendTo(events, storeId, entities),
    drain: () => events.rpc.call(drainWebhook, { body: { endpoint_id: endpoint.id } }, context()),
    async deliveries() {
      const { data } = await events.rpc.call(
        eventsOperations.listWebhookDeliveries,
        { params, query: { limit: 200 } },
        context(),
      );
      return data.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    },
    async pass(ms) {
      const earlier = events.adminSql`${ms} * interval '1 millisecond'`;
      await events.adminSql`
        update webhook_deliveries
        set next_attempt_at = next_attempt_at - ${earlier}, first_failed_at = first_failed_at - ${earlier},
            last_failed_at = last_failed_at - ${earlier}, lease_until = lease_until - ${earlier}
        where store_id = ${storeId}`;
      await events.adminSql`
        update webhook_endpoints
        set due_at = due_at - ${earlier}, failing_since = failing_since - ${earlier},
            blocked_until = blocked_until - ${earlier}, last_success_at = last_success_at - ${earlier}
        where store_id = ${storeId}`;
    },
    close: () => receiver.close(),
  };
}

/** Appends an event for each entity to the feed of the store. Returns their ids. */
export async function appendTo(events: TestEvents, storeId: string, entities: readonly string[]): Promise<string[]> {
  const entries: FeedEntry[] = entities.map((id, index) => ({
    id: randomUUID(),
    store_id: storeId,
    type: 'lead.updated',
    entity: { type: 'lead', id, version: index + 1 },
    created_at: new Date().toISOString(),
    data: { lead_id: id, object: { name: 'Maria', note: 'ção ✓' } },
  }));
  for (let first = 0; first < entries.length; first += 200) {
    await events.rpc.call(appendEvents, { body: { entries: entries.slice(first, first + 200) } }, testContext());
  }
  return entries.map(({ id }) => id);
}
