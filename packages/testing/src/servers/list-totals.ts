import { isDeepStrictEqual } from 'node:util';
import type { Sql, StoreScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { ListRows, ListTotals } from '@mostrador/totals';
import { stoodStillDuring } from '../awake.ts';
import type { Snapshots } from './snapshots.ts';

/** Rows of a list, and a query that counts them in the source table and is not awaited. */
export type CountedRows<List extends string> = {
  readonly rows: ListRows<List>;
  readonly recount: object;
};

type Held<List extends string> = {
  readonly snapshots: Snapshots;
  readonly listTotals: ListTotals<List>;
  readonly scope: () => StoreScope;
  /** All that the lists of the service may count. */
  readonly cases: (sql: Sql) => readonly CountedRows<List>[];
};

/**
 * Runs the actions on four lanes at once, and compares totals with recounts again and again until they have ended, then
 * after a rebuild. A business rule may reject an action. When the machine stood still, an action may also run out of time:
 * the totals are right whether it happened or not.
 *
 * @throws Error when a total differs from the recount in its snapshot
 */
export async function holdTotals<List extends string>(
  held: Held<List>,
  actions: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const left = [...actions];
  const failures: unknown[] = [];
  let running = true;
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      await next().catch((error) => {
        if (!(error instanceof AppError) || error.status >= 500) failures.push(error);
      });
    }
  };
  const looking = (async () => {
    while (running) await compare(held);
  })();
  const stoodStill = await stoodStillDuring(() => Promise.all(Array.from({ length: 4 }, lane)));
  running = false;
  await looking;
  if (failures.length > 0 && !stoodStill) throw failures[0];
  await compare(held);
  const { listTotals, scope } = held;
  await listTotals.rebuild(scope());
  await compare(held);
  const wrong = await listTotals.verify(scope());
  if (wrong.length > 0) throw new Error(`verify finds ${JSON.stringify(wrong)} after a rebuild`);
}

/** Reads totals and recounts the same rows, all in one snapshot. */
async function compare<List extends string>({ snapshots, listTotals, scope, cases }: Held<List>): Promise<void> {
  const { storeId } = scope();
  await snapshots.read(storeId, async (connection) => {
    const sql = connection as unknown as Sql;
    for (const { rows, recount } of cases(sql)) {
      const count = async () => {
        const [row] = await sql<[{ count: number }]>`select (${recount as never})::int as count`;
        return row.count;
      };
      const [total, counted] = [await listTotals.count(sql, storeId, rows, count), await count()];
      if (total === counted) continue;
      const { except: _, ...named } = rows;
      throw new Error(`the total of ${JSON.stringify(named)} is ${total}, but there are ${counted} rows`);
    }
    for (const list of new Set(cases(sql).map(({ rows }) => rows.list))) {
      const [row] = await sql<[{ found: unknown }]>`
        select (${listTotals.statusCounts(sql, storeId, list) as never}) as found`;
      const found = listTotals.toStatusCounts(storeId, list, row.found);
      const counted = await sql<{ status: string; rows: number }[]>`
        select status, count(*)::int as rows from list_rows
        where store_id = ${storeId} and list = ${list} and status is not null group by 1`;
      const expected = Object.fromEntries(counted.map(({ status, rows }) => [status, rows]));
      if (isDeepStrictEqual({ ...found }, expected)) continue;
      throw new Error(`${list} by status are ${JSON.stringify(found)}, but the rows ${JSON.stringify(expected)}`);
    }
  });
}
