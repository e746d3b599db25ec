import type { SystemDatabase } from '@mostrador/kit/database/database';
import { readProviders } from '../calendars/providers.ts';
import { addMissingWatches } from './watch.repository.ts';

/** Watches the calendars that an earlier version connected. The sweep starts their workflows. */
export async function addWatches(database: SystemDatabase): Promise<void> {
  const deadline = Date.now() + 10_000;
  await database.write({ deadline }, (systemSql) => addMissingWatches(systemSql, readProviders));
}
