import type { Caller, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import type { Peer } from '../shared/peer.ts';
import type { Platform } from '../shared/platform.ts';
import { day } from './day.ts';
import { fillStores } from './fill.ts';

/** The requests of the other stores while one floods, a second. The platform serves several times as many. */
export const besideRate = 50;

/** More than any platform here serves. All 6,000 requests that a `pro` key may burst are sent within three seconds. */
export const floodRate = 2_000;
const floodConnections = 1_000;

/** Calls `measure` while a new `pro` store sends all that its key may send, over more connections than are served. */
export async function whileFlooded<T>(
  { flood, platform, durationMs }: { flood: Peer; platform: Platform; durationMs: number },
  measure: () => Promise<T>,
): Promise<T> {
  const callers: Caller[] = await fillStores(platform, 1, 1, () => {}, { tier: 'pro' });
  const flooding = flood.call<OpenLoadResult>('runOpen', {
    origin: platform.origin,
    kinds: day,
    callers,
    perSecond: floodRate,
    connections: floodConnections,
    warmUpMs: 0,
    durationMs,
    seed: 1,
  } satisfies OpenLoadJob);
  const [measured] = await Promise.all([measure(), flooding]);
  return measured;
}
