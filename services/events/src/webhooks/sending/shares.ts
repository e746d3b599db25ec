/** The places of a process for attempts or steps, by store. */
export type Shares = {
  /** Takes up to `wanted` places for a store. Returns how many it got: none while the store has its share. */
  take(storeId: string, wanted: number): number;
  /** Gives places back. */
  give(storeId: string, count: number): void;
  /** The stores that have their share. */
  full(): string[];
};

export type ShareLimits = {
  /** Places of all stores. */
  readonly most: number;
  /** Places of these for stores that have none. */
  readonly reserve: number;
  /** A store may have this part of the places that are free beside the reserve. Default: an eighth. */
  readonly part?: number;
};

/**
 * Whether a store may have another place. It may have a part of what is free, so each store leaves the next one almost as
 * much as it found. A place cannot be taken back, so with a limit by store alone some stores with slow receivers would
 * fill the process, or a store that sends alone would be slow. A store without a place gets one while there is one. Pure.
 */
const mayBegin = ({ most, reserve, part = 1 / 8 }: ShareLimits, ofStore: number, ofAll: number): boolean =>
  ofAll < most && (ofStore === 0 || ofStore < (most - reserve - ofAll) * part);

export function createShares(limits: ShareLimits): Shares {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (storeId: string, count: number) => {
    const ofStore = (taken.get(storeId) ?? 0) + count;
    if (ofStore === 0) taken.delete(storeId);
    else taken.set(storeId, ofStore);
    all += count;
  };
  return {
    take(storeId, wanted) {
      let got = 0;
      while (got < wanted && mayBegin(limits, (taken.get(storeId) ?? 0) + got, all + got)) got += 1;
      change(storeId, got);
      return got;
    },
    give: (storeId, count) => change(storeId, -count),
    full: () => [...taken].flatMap(([storeId, ofStore]) => (mayBegin(limits, ofStore, all) ? [] : [storeId])),
  };
}
