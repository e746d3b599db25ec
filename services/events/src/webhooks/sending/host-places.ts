import { createShares, type Shares } from './shares.ts';

/**
 * The places of this process for attempts at each host, by any endpoint. Many endpoints at one slow host
 * would fill the process. Stores have a fair share of the places at a host, because a receiver of one of them may be slow
 * at a host that many use.
 */
export type HostPlaces = {
  /** Takes up to `wanted` places. Returns how many it got. */
  take(host: string, storeId: string, wanted: number): number;
  /** Gives places back. */
  give(host: string, storeId: string, count: number): void;
  /** Calls `run` once when places were given back at the host, or at once when none is taken. The first come first. */
  whenGiven(host: string, run: () => void): void;
};

/** How many attempts run at one host, and how many of these places are for stores that have none. */
const limits = { most: 100, reserve: 20, part: 1 / 2 };

type Place = { readonly shares: Shares; readonly waiting: (() => void)[]; taken: number };

export function createHostPlaces(): HostPlaces {
  const hosts = new Map<string, Place>();
  return {
    take(host, storeId, wanted) {
      const place = hosts.get(host) ?? { shares: createShares(limits), waiting: [], taken: 0 };
      const got = place.shares.take(storeId, wanted);
      place.taken += got;
      if (got > 0) hosts.set(host, place);
      return got;
    },
    give(host, storeId, count) {
      const place = hosts.get(host);
      if (!place || count === 0) return;
      place.shares.give(storeId, count);
      place.taken -= count;
      if (place.taken === 0) hosts.delete(host);
      // Who gets none waits again, and who takes one gives it back.
      for (const run of place.waiting.splice(0, place.taken === 0 ? place.waiting.length : count)) run();
    },
    whenGiven(host, run) {
      const place = hosts.get(host);
      if (place) place.waiting.push(run);
      else run();
    },
  };
}

/** The host of an address, in one form. */
export const hostOf = (address: string): string => new URL(address).hostname.toLowerCase().replace(/\.$/, '');
