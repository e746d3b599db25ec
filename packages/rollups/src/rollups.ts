import type { Sql, SystemDatabase } from '@mostrador/kit/database/database';
import { type Closed, type ClosingOptions, closeQuarters } from './close.ts';
import { type ReadOptions, readTotals, type StoreCounts } from './read.ts';
import { resetQuarters } from './reset.ts';
import { createTotalsMemory } from './totals-memory.ts';
import { type Verified, verifyQuarters } from './verify.ts';

export type { Closed, ClosingOptions } from './close.ts';
export type { Counts, ReadOptions, StoreCounts, SubjectCounts } from './read.ts';
export type { Verified, Wrong } from './verify.ts';

/**
 * Counts over time of what a service keeps: its view `report_facts` and running totals of closed quarter-hours
 * (`sql/rollups.sql`, docs/adr/0013). Right at any moment, for what is not closed is counted from the facts.
 */
export type Rollups<Metric extends string> = {
  /**
   * Counts a store's facts over a span, as of one moment. For the runtime role. What it costs does not depend on how much
   * is counted, but for what is not closed; totals of what is closed are remembered.
   */
  read(sql: Sql, storeId: string, options: ReadOptions): Promise<StoreCounts<Metric>>;
  /**
   * Closes quarter-hours that are over, of all stores, until there are no more or some seconds have passed. May run at
   * any time, beside itself, and be cut off anywhere.
   */
  close(options: ClosingOptions): Promise<Closed>;
  /** Compares closed quarter-hours with the facts, from `after` on, for some seconds. */
  verify(
    systemDatabase: SystemDatabase,
    options: { readonly after: Date | null; readonly deadline: number },
  ): Promise<Verified>;
  /** Forgets what was closed; returns how many rows that were. Until it is closed again, reading takes longer. */
  reset(systemDatabase: SystemDatabase, options: { readonly deadline: number }): Promise<number>;
};

/** For one database. `metrics`: what `report_facts` may name, in the order of the stored totals, so only ever appended to. */
export function createRollups<const Metric extends string>(metrics: readonly Metric[]): Rollups<Metric> {
  const odd = metrics.find((metric) => !/^[a-z0-9_]+$/.test(metric));
  if (odd !== undefined) throw new Error(`a metric cannot be named ${odd}`);
  const memory = createTotalsMemory();
  return {
    read: (sql, storeId, options) => readTotals(metrics, memory, sql, storeId, options),
    close: (options) => closeQuarters(metrics, options),
    verify: (systemDatabase, options) => verifyQuarters(metrics, systemDatabase, options),
    reset: resetQuarters,
  };
}
