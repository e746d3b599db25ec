import type { SystemDatabase } from '@mostrador/kit/database/database';
import { deleteSomeExpired } from '../booking/booking.repository.ts';

const batch = 1_000;

/** Deletes expired holds. They block nothing before that, so it only keeps the table small. */
export async function purgeHolds(database: SystemDatabase): Promise<void> {
  for (let deleted = batch; deleted === batch; ) {
    deleted = await database.write({ deadline: Date.now() + 10_000 }, (sql) => deleteSomeExpired(sql, batch));
  }
}
