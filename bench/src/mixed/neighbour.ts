import { join } from 'node:path';
import { startPeer } from '@mostrador/local-platform/peer';
import type { Caller, MixedKind, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import type { Platform } from '../shared/platform.ts';
import { renice } from '../shared/processes.ts';
import { day } from './day.ts';

/** The requests of the other stores while one floods, a second. The platform serves several times as many. */
export const besideRate = 50;

/** More than any platform here serves. It would send the 6,000 requests that a `pro` key may burst within 3 s. */
export const floodRate = 2_000;
const floodConnections = 1_000;

/** The rate of a `pro` key, a second. */
const entitledRate = 100;

const reads: readonly MixedKind[] = day.filter(({ method }) => method === 'GET');

/** What another `pro` store sends: reads, or requests of all kinds, at its rate or as many as it can. */
const neighbours = {
  'reads at its rate': { kinds: reads, perSecond: entitledRate },
  'a flood of reads': { kinds: reads, perSecond: floodRate },
  'all kinds at its rate': { kinds: day, perSecond: entitledRate },
  'a flood of all kinds': { kinds: day, perSecond: floodRate },
} as const satisfies Record<string, { kinds: readonly MixedKind[]; perSecond: number }>;
export type Neighbour = keyof typeof neighbours;
export const neighbourNames = Object.keys(neighbours) as Neighbour[];

type BesideOptions = {
  readonly platform: Platform;
  readonly caller: Caller;
  readonly neighbour: Neighbour;
  readonly seconds: number;
};

/** Calls `measure` while a store sends, over more connections than are served. */
export async function beside<T>(
  { platform, caller, neighbour, seconds }: BesideOptions,
  measure: () => Promise<T>,
): Promise<T> {
  const { kinds, perSecond } = neighbours[neighbour];
  const peer = await startPeer(join(import.meta.dirname, '../shared/load/main.ts'));
  // It stands for machines elsewhere, so it must not take the platform's processors.
  renice(peer.pid, 19);
  const sending = peer.call<OpenLoadResult>('runOpen', {
    origin: platform.origin,
    kinds,
    callers: [caller],
    perSecond,
    connections: floodConnections,
    warmUpMs: 0,
    durationMs: seconds * 1000,
    seed: 1,
  } satisfies OpenLoadJob);
  // Requests that are still open end with it.
  sending.catch(() => {});
  try {
    return await measure();
  } finally {
    await peer.stop();
  }
}
