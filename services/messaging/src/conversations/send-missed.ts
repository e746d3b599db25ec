import type { Sql, SystemDatabase } from '@mostrador/kit/database/database';
import { eachOf } from '@mostrador/kit/process/each-of';
import type { Log } from '@mostrador/kit/process/log';

const limitMs = 5_000;
const batch = 500;
const storesAtOnce = 4;

type Missed<Row> = {
  readonly systemDatabase: SystemDatabase;
  readonly log: Log;
  /** What the rows are, for the log. */
  readonly what: string;
  /** Finds up to `limit` rows of any store. */
  readonly find: (systemSql: Sql, limit: number) => Promise<Row[]>;
  /** Sends rows of one store and records that, so that `find` no longer finds them. */
  readonly send: (storeId: string, rows: readonly Row[]) => Promise<void>;
};

/**
 * Sends to crm what it does not have yet, for example after a crash or an outage of crm. Stops at the first failure; the
 * next run continues. Returns the number of rows sent.
 */
export async function sendMissed<Row extends { readonly store_id: string }>(
  { systemDatabase, log, what, find, send }: Missed<Row>,
  signal: AbortSignal,
): Promise<number> {
  for (let sent = 0; ; ) {
    const missed = await systemDatabase.read({ deadline: Date.now() + limitMs }, (sql) => find(sql, batch));
    let failed = false;
    await eachOf(
      Map.groupBy(missed, (row) => row.store_id),
      storesAtOnce,
      async ([storeId, rows]) => {
        if (failed || signal.aborted) return;
        try {
          await send(storeId, rows);
          sent += rows.length;
        } catch (error) {
          failed = true;
          log.warn({ err: error, store_id: storeId }, `${what} could not be sent to crm`);
        }
      },
    );
    if (missed.length < batch || failed || signal.aborted) return sent;
  }
}
