import type { SystemDatabase } from '@mostrador/kit/database/database';
import { deleteSomePast } from './offer.repository.ts';

const batch = 1_000;

/** Deletes offers whose time passed a day ago. No lead can accept them any more, so it only keeps the table small. */
export async function purgeOffers(database: SystemDatabase): Promise<void> {
  for (let deleted = batch; deleted === batch; ) {
    deleted = await database.write({ deadline: Date.now() + 10_000 }, (sql) => deleteSomePast(sql, batch));
  }
}
