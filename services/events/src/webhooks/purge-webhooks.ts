import type { SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import { clearBodies, deleteAttempts, deleteDeliveries, deleteOfDeleted } from './purge.repository.ts';

/** How long the log keeps an attempt and a final delivery, and the body of an answer, in days. */
const logDays = 30;
const bodyDays = 7;
const batch = 1_000;
const batchLimitMs = 10_000;

/** Removes what the log no longer keeps, and the rows of deleted endpoints, in batches. */
export async function purgeWebhooks(database: SystemDatabase): Promise<void> {
  const all = async (remove: (sql: TransactionSql) => Promise<number>) => {
    for (let count = batch; count >= batch; ) {
      count = await database.write({ deadline: Date.now() + batchLimitMs }, remove);
    }
  };
  await all((sql) => clearBodies(sql, bodyDays, batch));
  await all((sql) => deleteAttempts(sql, logDays, batch));
  await all((sql) => deleteDeliveries(sql, logDays, batch));
  await all((sql) => deleteOfDeleted(sql, batch));
}
