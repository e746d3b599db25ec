import type { Sql, SystemDatabase } from '@mostrador/kit/database/database';
import { type Closed, type ClosingOptions, closeQuarters } from './close.ts';
import type { Facts } from './facts.ts';
import { type ReadOptions, readTotals, type StoreCounts } from './read.ts';
import { resetQuarters } from './reset.ts';
import { createTotalsMemory } from './totals-memory.ts';
import { type Verified, verifyQuarters } from './verify.ts';

export type { Closed, ClosingOptions } from './close.ts';
export type { Counts, ReadOptions, StoreCounts, SubjectCounts } from './read.ts';
export type { Verified, Wrong } from './verify.ts';

/**
 * Counts a service's facts over time, from its view of them and running totals of closed quarter-hours
 * (`sql/rollups.sql`, docs/adr/0013). Always exact, because quarters that are not closed are counted from the facts.
 */
export type Rollups<Metric extends string> = {
  /**
   * Counts a store's facts over a span, from one snapshot. For the runtime role. The cost grows only with the facts
   * that are not closed; totals of closed quarters are remembered.
   */
  read(sql: Sql, storeId: string, options: ReadOptions): Promise<StoreCounts<Metric>>;
  /**
   * Closes finished quarter-hours of all stores, until none is left or some seconds have passed. It may run at any
   * time, concurrently, and be interrupted anywhere.
   */
  close(options: ClosingOptions): Promise<Closed>;
  /** Compares closed quarter-hours with the facts, starting at `after`, for some seconds. */
  verify(
    systemDatabase: SystemDatabase,
    options: { readonly after: Date | null; readonly deadline: number },
  ): Promise<Verified>;
  /** Deletes the rollups and returns the number of rows. Until they are closed again, reads take longer. */
  reset(systemDatabase: SystemDatabase, options: { readonly deadline: number }): Promise<number>;
};

/**
 * For one database. `metrics` names those of the view, in the order of the stored totals: only append to it. A process fails
 * reports with a metric that it does not know. So new metrics stand in a new view, and the previous version keeps its own.
 */
export function createRollups<const Metric extends string>(
  metrics: readonly Metric[],
  view = 'report_facts',
): Rollups<Metric> {
  const odd = metrics.find((metric) => !/^[a-z0-9_]+$/.test(metric));
  if (odd !== undefined) throw new Error(`a metric cannot be named ${odd}; use a-z, 0-9 and _`);
  const facts: Facts<Metric> = { view, metrics };
  const memory = createTotalsMemory();
  return {
    read: (sql, storeId, options) => readTotals(facts, memory, sql, storeId, options),
    close: (options) => closeQuarters(facts, options),
    verify: (systemDatabase, options) => verifyQuarters(facts, systemDatabase, options),
    reset: resetQuarters,
  };
}
