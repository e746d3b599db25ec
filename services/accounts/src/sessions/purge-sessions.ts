import type { SystemDatabase } from '@mostrador/kit/database/database';
import { purgeOver } from './session.repository.ts';

const batch = 1000;
const limitMs = 10_000;

/** Deletes login links and sessions that have been over for 30 days. */
export async function purgeSessions(database: SystemDatabase): Promise<void> {
  for (;;) {
    const deleted = await database.write({ deadline: Date.now() + limitMs }, (sql) => purgeOver(sql, batch));
    if (deleted < batch) return;
  }
}
