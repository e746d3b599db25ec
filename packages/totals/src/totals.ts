import type { Database, Sql, StoreScope, SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { AppError } from '@mostrador/kit/rpc/errors';
import {
  buildTotals,
  countByStatus,
  extendStatements,
  findWrongTotals,
  foldChanges,
  hasChanges,
  type ListRows,
  listBuiltStores,
  readTotal,
  rebuildTotals,
  type WrongTotal,
} from './totals.repository.ts';

export type { ListRows, WrongTotal } from './totals.repository.ts';

/**
 * Exact numbers of the rows in the lists of a service, for the price of a lookup (`sql/list-totals.sql`, docs/adr/0028).
 * A total is what the snapshot of its statement contains, because each transaction writes the change of a total with the
 * rows that it changes.
 */
export type ListTotals<List extends string = string> = {
  /**
   * The number of rows. Until the totals of the store's list are built, `countRows` counts them, and the job builds the
   * totals afterwards.
   */
  count(sql: Sql, storeId: string, rows: ListRows<List>, countRows: () => PromiseLike<number>): Promise<number>;
  /**
   * A query of the numbers of rows by status, as one JSON value for `toStatusCounts`. It can be part of another statement,
   * and sees what that sees. It counts the rows until the totals are built.
   */
  statusCounts(sql: Sql, storeId: string, list: List): ReturnType<Sql['unsafe']>;
  /** What `statusCounts` found, without statuses that no row has. If it counted rows, the job builds the totals. */
  toStatusCounts(storeId: string, list: List, found: unknown): Record<string, number>;
  /** Adds changes to the totals, and builds the lists whose rows were counted. Each process of the service runs it. */
  readonly job: Periodic;
  /** One run of the job. Returns the number of changes that it added. */
  run(signal: AbortSignal): Promise<number>;
  /** Recounts all lists of a store. Readers and writers wait for nothing. */
  rebuild(scope: StoreScope): Promise<void>;
  /** Compares the built totals of a store with a recount of one snapshot. */
  verify(scope: StoreScope): Promise<WrongTotal[]>;
  /** Up to `limit` stores with a built list, by id, and how many are left after them. */
  listStores(
    deadline: number,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<{ stores: string[]; left: number }>;
};

export type ListTotalsOptions<List extends string> = {
  /** The lists in the view `list_rows` of the service. */
  readonly lists: readonly List[];
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly log: Log;
};

const busyPauseMs = 250;
const idlePauseMs = 1000;
const longestPauseMs = 5000;
/** Changes in one transaction. It takes about 20 ms. */
const batch = 5000;
const foldLimitMs = 5000;
/** As long as a list of many millions of rows takes. */
const buildLimitMs = 60_000;
/** Lists that wait to be built. A list that finds no place waits for its next reader. */
const mostWanted = 10_000;

export function createListTotals<const List extends string>(options: ListTotalsOptions<List>): ListTotals<List> {
  const { lists, database, systemDatabase, log } = options;
  const wanted = new Map<string, { readonly storeId: string; readonly list: string }>();
  let pauseMs = idlePauseMs;
  /** Runs in a row that found no changes. */
  let idleRuns = 0;

  /** A recount may take longer than the statements of requests. */
  const recount = <T>(scope: StoreScope, work: (sql: TransactionSql) => Promise<T>): Promise<T> =>
    database.write(scope, async (sql) => {
      await extendStatements(sql, scope.deadline - Date.now());
      return await work(sql);
    });

  async function fold(signal: AbortSignal): Promise<number> {
    let folded = 0;
    const deadline = () => Date.now() + foldLimitMs;
    if (!(await systemDatabase.read({ deadline: deadline() }, hasChanges))) return folded;
    for (let last = batch; last === batch && !signal.aborted; folded += last) {
      last = await systemDatabase.write({ deadline: deadline() }, (sql) => foldChanges(sql, batch));
    }
    return folded;
  }

  async function buildWanted(signal: AbortSignal): Promise<void> {
    for (const [key, { storeId, list }] of wanted) {
      if (signal.aborted) return;
      wanted.delete(key);
      try {
        await recount({ storeId, deadline: Date.now() + buildLimitMs }, (sql) => buildTotals(sql, storeId, list));
        log.debug({ store_id: storeId, list }, 'the totals of a list were built');
      } catch (error) {
        if (isUnavailable(error)) throw error;
        log.warn({ err: error, store_id: storeId, list }, 'the totals of a list were not built');
      }
    }
  }

  async function run(signal: AbortSignal): Promise<number> {
    const startedMs = performance.now();
    pauseMs = longestPauseMs;
    const folded = await fold(signal);
    await buildWanted(signal);
    idleRuns = folded > 0 ? 0 : idleRuns + 1;
    // A run is slow while a long transaction keeps deleted changes in the table. Then runs come less often.
    const restMs = Math.max(folded > 0 ? busyPauseMs : idlePauseMs * idleRuns, 4 * (performance.now() - startedMs));
    pauseMs = Math.min(restMs, longestPauseMs);
    return folded;
  }

  function want(storeId: string, list: string): void {
    if (wanted.size < mostWanted) wanted.set(`${storeId} ${list}`, { storeId, list });
  }

  return {
    async count(sql, storeId, rows, countRows) {
      const total = await readTotal(sql, storeId, rows);
      if (total !== undefined) return total;
      want(storeId, rows.list);
      return await countRows();
    },
    statusCounts: countByStatus,
    toStatusCounts(storeId, list, found) {
      const { built, rows } = found as { readonly built: boolean; readonly rows: Record<string, number> };
      if (!built) want(storeId, list);
      return rows;
    },
    job: periodically({
      name: 'list totals',
      everyMs: () => pauseMs,
      log,
      run: async (signal) => {
        try {
          await run(signal);
        } catch (error) {
          // The pool logs it. Readers add the changes themselves.
          if (!isUnavailable(error)) throw error;
        }
      },
    }),
    run,
    async rebuild(scope) {
      for (const list of lists) await recount(scope, (sql) => rebuildTotals(sql, scope.storeId, list));
    },
    verify: (scope) => recount(scope, (sql) => findWrongTotals(sql, scope.storeId)),
    listStores: (deadline, page) => systemDatabase.read({ deadline }, (sql) => listBuiltStores(sql, page)),
  };
}

/** PostgreSQL does not answer, or another transaction holds the lock. */
const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === 'service_unavailable';
