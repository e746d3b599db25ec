import { createApiKey, createStore, createWebhookEndpoint } from '@mostrador/contracts';
import { mapEach } from '@mostrador/kit/process/each-of';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import type { Platform, Store } from '../shared/platform.ts';

const requestsAMinute = 10_000_000;
const atOnce = 8;

/** Creates stores over NATS, because a command for each would take minutes. */
export const createStores = (platform: Platform, count: number): Promise<Store[]> =>
  withInsideClient(platform.natsUrl('admin'), (call) =>
    mapEach(Array(count).keys(), atOnce, async (index) => {
      const { id } = await call(createStore, {
        body: { name: `bench ${index}`, tier: 'enterprise', rate_limit: requestsAMinute },
      });
      const { api_key: key } = await call(createApiKey, { body: { store_id: id, name: 'bench' } });
      return { id, key };
    }),
  );

/** Creates an endpoint in each store. */
export const createEndpoints = (
  platform: Platform,
  stores: readonly Store[],
  urlOf: (index: number) => string,
): Promise<{ id: string; secret: string }[]> =>
  withInsideClient(platform.natsUrl('gateway'), (call) =>
    mapEach(stores, atOnce, async (store, index) => {
      const { id, secret } = await call(createWebhookEndpoint, { body: { url: urlOf(index) } }, store.id);
      return { id, secret };
    }),
  );
