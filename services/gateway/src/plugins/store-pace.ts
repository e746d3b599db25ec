import { createBoundedCache } from '@mostrador/kit/process/bounded-cache';

/** When a request starts: after `waitMs`, or not at all. Seconds are whole, rounded up. */
export type Turn =
  | { readonly starts: true; readonly waitMs: number }
  | { readonly starts: false; readonly retryAfterSeconds: number };

export type StorePaces = { take(storeId: string, requestsPerMinute: number, nowMs: number): Turn };

/** How long another store counts as active after the start of its last request: a request may take as long. */
const activeMs = 10_000;

/** A store's requests that start at once, and then each second, at least. A small store's page load never waits. */
const leastAtOnce = 100;
const leastPerSecond = 20;

/** The longest wait. All 300 requests of a `starter` bucket fit into it, and the clients' own timeouts are longer. */
const longestWaitMs = 10_000;

/**
 * Spreads a store's requests while other stores are active: about a second of them starts at once, the next ones start
 * evenly at the store's rate. A key's bucket holds a whole minute, and spent at once it would take all processors from
 * the other stores. A store that is alone does not wait.
 *
 * This is the generic cell rate algorithm (ITU-T I.371), with a delay in place of a rejection.
 */
export function createStorePaces(options: { maximumStores: number }): StorePaces {
  /** By store: the moment at which its requests so far fit its rate. */
  const fits = createBoundedCache<string, number>(options.maximumStores);
  /** The store of the last request, and the last request of any other store. */
  let last = { storeId: '', atMs: Number.NEGATIVE_INFINITY };
  let lastOtherAtMs = Number.NEGATIVE_INFINITY;

  /** Notes a request, and says whether no other store is active. */
  const isAlone = (storeId: string, nowMs: number) => {
    if (last.storeId !== storeId) {
      lastOtherAtMs = last.atMs;
      last = { storeId, atMs: nowMs };
    }
    last.atMs = nowMs;
    return nowMs - lastOtherAtMs > activeMs;
  };

  return {
    take(storeId, requestsPerMinute, nowMs) {
      if (isAlone(storeId, nowMs)) {
        fits.delete(storeId);
        return { starts: true, waitMs: 0 };
      }
      const perSecond = Math.max(leastPerSecond, requestsPerMinute / 60);
      const aheadMs = (Math.max(leastAtOnce, perSecond) / perSecond) * 1000;
      const fitsAtMs = Math.max(nowMs, fits.get(storeId) ?? 0) + 1000 / perSecond;
      const waitMs = Math.max(0, fitsAtMs - aheadMs - nowMs);
      if (waitMs > longestWaitMs) return { starts: false, retryAfterSeconds: Math.ceil(waitMs / 1000) };
      fits.set(storeId, fitsAtMs);
      return { starts: true, waitMs };
    },
  };
}
