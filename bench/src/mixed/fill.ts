import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  connectChannel,
  createApiKey,
  createStore,
  importLeads,
  type Operation,
  type ReplyOf,
  type RequestOf,
  type Tier,
} from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/process/log';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats } from '@mostrador/kit/rpc/nats';
import type { Caller } from '../shared/load/open-load.ts';
import type { Platform } from '../shared/platform.ts';

const atOnce = 16;
const leadsOfStore = 20;
const unlimited = 10_000_000;

/**
 * Creates stores through the services, by default without an effective rate limit. Each gets a key, leads and a sandbox
 * channel without effective limits. Up to `callers` of them, evenly spread, also get a calendar and are returned.
 */
export async function fillStores(
  platform: Platform,
  count: number,
  callers: number,
  say: (text: string) => void,
  limits: { readonly tier: Tier; readonly rate_limit?: number } = { tier: 'enterprise', rate_limit: unlimited },
): Promise<Caller[]> {
  const log = createLog({ service: 'bench', level: 'silent', format: 'json' });
  const nats = await connectNats({ url: platform.natsUrl('admin'), name: 'bench', log });
  const rpc = createRpcClient({ nats, log });
  const call = <O extends Operation>(operation: O, request: RequestOf<O>, storeId?: string): Promise<ReplyOf<O>> =>
    rpc.call(operation, request, { requestId: randomUUID(), deadline: Date.now() + 30_000, storeId });

  const every = Math.max(1, Math.floor(count / callers));
  const made: Caller[] = [];
  let next = 0;
  const makeStores = async () => {
    for (let index = next++; index < count; index = next++) {
      const store = await call(createStore, {
        body: { name: `Bench ${index}`, ...limits },
      });
      const leads = Array.from({ length: leadsOfStore }, (_, lead) => ({
        name: `Customer ${lead}`,
        customer_phone: `55119${String(lead).padStart(8, '0')}`,
      }));
      await call(importLeads, { body: { leads } }, store.id);
      await call(
        connectChannel,
        { body: { provider: 'sandbox', number_rate: 100_000, pair_interval_seconds: 0, pair_burst: 100_000 } },
        store.id,
      );
      const { api_key: key } = await call(createApiKey, { body: { store_id: store.id, name: 'bench' } });
      if (index % every === 0 && made.length < callers) {
        await call(connectCalendar, { body: { provider: 'feed' } }, store.id);
        made.push({ key, leads: await leadsOf(platform, key) });
      }
      if ((index + 1) % 1000 === 0) say(`${(index + 1).toLocaleString('en')} stores.`);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, makeStores));
    return made;
  } finally {
    await nats.close();
  }
}

async function leadsOf({ origin }: Platform, key: string): Promise<string[]> {
  const answer = await fetch(`${origin}/integrations/v1/leads?limit=${leadsOfStore}`, {
    headers: { 'X-API-Key': key },
  });
  if (!answer.ok) throw new Error(`GET /leads answered ${answer.status}`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}
