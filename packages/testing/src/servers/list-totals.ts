import type { Sql } from '@mostrador/kit/database/database';
import type { ListRows, ListTotals } from '@mostrador/kit/database/list-totals';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Snapshots } from './snapshots.ts';

/** Rows of a list, and a query that counts them in the source table and is not awaited. */
export type CountedRows<List extends string> = {
  readonly rows: ListRows<List>;
  readonly recount: object;
};

type Compared = { readonly rows: unknown; readonly total: number; readonly recount: number };

/** Reads totals and recounts the same rows, all in one snapshot. Returns what differs. */
export async function differentTotals<List extends string>(
  snapshots: Snapshots,
  listTotals: Pick<ListTotals<List>, 'count'>,
  storeId: string,
  cases: (sql: Sql) => readonly CountedRows<List>[],
): Promise<Compared[]> {
  return await snapshots.read(storeId, async (connection) => {
    const sql = connection as unknown as Sql;
    const different: Compared[] = [];
    for (const { rows, recount } of cases(sql)) {
      const count = async () => {
        const [row] = await sql<[{ count: number }]>`select (${recount as never})::int as count`;
        return row.count;
      };
      const total = await listTotals.count(sql, storeId, rows, count);
      const counted = await count();
      if (total !== counted) different.push({ rows: { ...rows, except: undefined }, total, recount: counted });
    }
    return different;
  });
}

/**
 * Runs the actions on several lanes at once, each in its order, and `beside` again and again until they have ended.
 * A business rule may reject an action.
 */
export async function runBeside(
  actions: readonly (() => Promise<unknown>)[],
  { lanes, beside }: { readonly lanes: number; readonly beside: () => Promise<unknown> },
): Promise<void> {
  const left = [...actions];
  let running = true;
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      await next().catch((error) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
      });
    }
  };
  const looking = (async () => {
    while (running) await beside();
  })();
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    running = false;
    await looking;
  }
}
