import type { Random } from '@mostrador/testing/random';
import type { FuzzPlatform, Memory, ProcessName } from './platform.ts';

const warmUpRequests = 4_000;
const atOnce = 16;
/** A process may hold this much more memory after the requests than before them. */
const heapGrowthMb = 12;
const megabyte = 1024 ** 2;

export type Growth = {
  readonly name: ProcessName;
  readonly before: Memory;
  readonly after: Memory;
  readonly leaks: boolean;
};

/**
 * Measures each process's memory, after garbage collection, before and after a fixed number of good and bad requests.
 * First sends 4,000 requests that do not count, because they fill caches.
 */
export async function measureMemory(platform: FuzzPlatform, random: Random, requests: number): Promise<Growth[]> {
  await send(platform, random, warmUpRequests);
  const before = await platform.memory();
  await send(platform, random, requests);
  const after = await platform.memory();
  const heldMb = ({ heapUsed, external }: Memory) => (heapUsed + external) / megabyte;
  return (Object.keys(after) as ProcessName[]).map((name) => ({
    name,
    before: before[name],
    after: after[name],
    leaks: heldMb(after[name]) - heldMb(before[name]) > heapGrowthMb,
  }));
}

async function send(platform: FuzzPlatform, random: Random, count: number): Promise<void> {
  let left = count;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const { path, ...init } = requestOf(platform, random);
      const answer = await fetch(`${platform.dev.base_url}${path}`, init);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
}

/** A request with a unique path, body or key, so that a cache without a limit would grow. */
function requestOf({ store }: FuzzPlatform, random: Random): RequestInit & { path: string } {
  const headers = { 'x-api-key': store.key, 'content-type': 'application/json' };
  const id = `0198c1f4-5f5e-7c3a-9d0b-${String(random.below(1e12)).padStart(12, '0')}`;
  return random.pick<() => RequestInit & { path: string }>([
    () => ({ path: '/leads?limit=5', headers }),
    () => ({ path: `/leads/${id}`, headers }),
    () => ({ path: `/appointments?lead_id=${id}`, headers }),
    () => ({ path: `/followups/scheduled/${id}`, headers }),
    () => ({ path: `/nothing/${id}`, headers }),
    () => ({ path: '/store', headers: { 'x-api-key': `mk_live_${id.replaceAll('-', '')}_x` } }),
    () => ({ path: '/leads', method: 'POST', headers: { ...headers, 'idempotency-key': id }, body: `{"${id}":1}` }),
    () => ({ path: '/appointments', method: 'POST', headers, body: `{"title":"${id}"` }),
    () => ({
      path: `/leads/${id}/messages`,
      method: 'POST',
      headers: { ...headers, 'idempotency-key': id },
      body: '{"message":"x"}',
    }),
  ])();
}
