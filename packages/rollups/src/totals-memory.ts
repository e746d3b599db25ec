import { createBoundedCache } from '@mostrador/kit/process/bounded-cache';
import { quarterMs } from './quarter.ts';

/** A store's totals at moments (epoch ms), from one generation of the rollups. */
export type Remembered = {
  readonly generation: number | undefined;
  readonly totals: ReadonlyMap<number, readonly number[]>;
};

/** How far the rollups are closed, and their generation, which each reset raises. */
type Closing = { readonly closed_until: Date; readonly generation: number };

/**
 * The totals of stores at closed quarter-hours. They never change within a generation; a new generation clears the
 * memory.
 */
export type TotalsMemory = {
  recall(storeId: string, boundaries: readonly Date[]): Remembered;
  /** Whether recalled totals may be combined with totals read at this closing. */
  agrees(remembered: Remembered, closing: Closing): boolean;
  /** Remembers the totals at the closed boundaries. */
  keep(storeId: string, boundaries: readonly Date[], totals: readonly (readonly number[])[], closing: Closing): void;
};

/** About 50 stores with a year by day, or about 10 MB. */
const mostTotals = 20_000;

export function createTotalsMemory(): TotalsMemory {
  const totals = createBoundedCache<string, readonly number[]>(mostTotals);
  let current: number | undefined;
  const keyOf = (storeId: string, ms: number) => `${storeId} ${ms}`;
  return {
    recall(storeId, boundaries) {
      const found = new Map<number, readonly number[]>();
      for (const at of boundaries) {
        const known = totals.get(keyOf(storeId, at.getTime()));
        if (known) found.set(at.getTime(), known);
      }
      return { generation: current, totals: found };
    },
    agrees(remembered, { closed_until, generation }) {
      const newest = Math.max(...remembered.totals.keys());
      const agree = generation === remembered.generation && newest <= closed_until.getTime();
      if (remembered.totals.size === 0 || agree) return true;
      if (current === remembered.generation) {
        totals.clear();
        current = undefined;
      }
      return false;
    },
    keep(storeId, boundaries, found, { closed_until, generation }) {
      if (current !== undefined && generation < current) return;
      if (current !== generation) totals.clear();
      current = generation;
      for (const [index, at] of boundaries.entries()) {
        const ms = at.getTime();
        if (ms % quarterMs === 0 && at <= closed_until)
          totals.set(keyOf(storeId, ms), Object.freeze(found[index] ?? []));
      }
    },
  };
}
