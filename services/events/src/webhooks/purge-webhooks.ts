import type { SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import { findDeletedEndpoint } from './endpoints/watch.repository.ts';
import { clearBodies, deleteAttempts, deleteDeliveries, deleteOfEndpoint } from './purge.repository.ts';

/** How long the log keeps an attempt and a final delivery, and the body of an answer, in days. */
const logDays = 30;
const bodyDays = 7;
const batch = 1_000;
const batchLimitMs = 10_000;

/** Removes what the log no longer keeps, and the rows of deleted endpoints, in batches. */
export async function purgeWebhooks(database: SystemDatabase): Promise<void> {
  const untilNone = async (remove: (sql: TransactionSql) => Promise<number>) => {
    while ((await database.write({ deadline: Date.now() + batchLimitMs }, remove)) > 0);
  };
  await untilNone((sql) => clearBodies(sql, bodyDays, batch));
  await untilNone((sql) => deleteAttempts(sql, logDays, batch));
  await untilNone((sql) => deleteDeliveries(sql, logDays, batch));
  await untilNone(async (sql) => {
    const endpoint = await findDeletedEndpoint(sql);
    return endpoint ? await deleteOfEndpoint(sql, endpoint, batch) : 0;
  });
}
