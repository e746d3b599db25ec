import { randomUUID } from 'node:crypto';
import type { MixedKind, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import type { Received } from '../shared/receiver.ts';
import type { Noticed } from './plan.ts';
import type { AttacksStage } from './stage.ts';

/** What the other stores do, a second, which keeps about a third of the platform's core busy: read, create leads (each of which sends a webhook), and use the console. */
const perSecond = { read: 20, create: 5, session: 20 } as const;
export const othersPerSecond = perSecond.read + perSecond.create + perSecond.session;

const connections = 32;
const warmUpSeconds = 1;
let used = 0;

/** Measures what the other stores and their people notice. */
export async function measureOthers(
  { platform, load, receiver, others, cookie }: AttacksStage,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<Pick<Noticed, 'latencies' | 'refused'>> {
  await receiver.call('reset');
  // A request takes the body of its number among all requests.
  const requests = othersPerSecond * (seconds + warmUpSeconds) + 1;
  const kinds: readonly MixedKind[] = [
    {
      ...{ name: 'API: read a lead', share: perSecond.read, method: 'GET' },
      path: '/integrations/v1/leads/{lead}',
    },
    {
      ...{ name: 'API: create a lead', share: perSecond.create, method: 'POST' },
      ...{ path: '/integrations/v1/leads', bodies: Array.from({ length: requests }, newLead) },
    },
    {
      ...{ name: 'console: who am I', share: perSecond.session, method: 'GET' },
      ...{ path: '/platform/v1/session', headers: [`Cookie: ${cookie}\r\nSec-Fetch-Site: same-origin`] },
    },
  ];
  const result = await load.call<OpenLoadResult>('runOpen', {
    ...{ origin: platform.origin, kinds, callers: others, perSecond: othersPerSecond },
    ...{ connections, warmUpMs: warmUpSeconds * 1000, durationMs: seconds * 1000, seed },
  } satisfies OpenLoadJob);
  const created = result.kinds['API: create a lead']?.answered ?? 0;
  await receiver.call('got', created);
  const { events, p50Ms, p99Ms, maxMs } = await receiver.call<Received>('received');
  return {
    latencies: { ...result.kinds, webhooks: { answered: events, p50Ms, p99Ms, maxMs } },
    refused: result.refused,
  };
}

function newLead(): string {
  used += 1;
  return JSON.stringify({
    name: `Ana ${used}`,
    customer_phone: `55119${10_000_000 + used}`,
    external_id: randomUUID(),
  });
}
