import { createApiKey, createStore, createWebhookEndpoint } from '@mostrador/contracts';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import type { Platform, Store } from '../shared/platform.ts';

const atOnce = 8;
const requestsAMinute = 10_000_000;

/** The stores of the measurement, each with one webhook endpoint. */
export type Endpoints = { readonly hanging: Store; readonly failing: Store; readonly well: readonly Store[] };

/** Creates stores with an endpoint each. The first endpoint hangs, the second answers 500, and the others are well. */
export async function createEndpoints(platform: Platform, count: number, receiver: string): Promise<Endpoints> {
  const stores: Store[] = [];
  await withInsideClient(platform.natsUrl('admin'), async (call) => {
    let next = 0;
    const maker = async () => {
      for (let index = next++; index < count; index = next++) {
        const { id } = await call(createStore, {
          body: { name: `bench ${index}`, tier: 'enterprise', rate_limit: requestsAMinute },
        });
        const { api_key: key } = await call(createApiKey, { body: { store_id: id, name: 'bench' } });
        stores[index] = { id, key };
      }
    };
    await Promise.all(Array.from({ length: atOnce }, maker));
  });
  await withInsideClient(platform.natsUrl('gateway'), async (call) => {
    for (const [index, { id }] of stores.entries()) {
      const path = index === 0 ? 'hang' : index === 1 ? 'fail' : 'ok';
      await call(createWebhookEndpoint, { body: { url: `${receiver}/${path}` } }, id);
    }
  });
  const [hanging, failing, ...well] = stores as [Store, Store, ...Store[]];
  return { hanging, failing, well };
}
