import type { SystemDatabase } from '@mostrador/kit/database/database';
import { countryOfZone } from '@mostrador/kit/phones/country-of-zone';
import type { Log } from '@mostrador/kit/process/log';
import { findAccess, findChangedAccess, findDeletedKeys } from './access.repository.ts';
import { type AccessDirectory, createAccessDirectory } from './access-directory.ts';
import { createBatches } from './batches.ts';

/** A slower look-up is useless, because its result would be stale. */
const lookUpLimitMs = 1000;

/**
 * Creates the directory on the database. Polls have their own connection, so that a flood of unknown keys, each of which
 * needs a look-up, cannot delay them.
 */
export function createAccess(options: { lookUps: SystemDatabase; polls: SystemDatabase; log: Log }): AccessDirectory {
  const { lookUps, polls, log } = options;
  // The first call takes about 150 ms. No request should wait for it.
  countryOfZone('UTC');
  const soon = () => ({ deadline: Date.now() + lookUpLimitMs });
  const directory = createAccessDirectory({
    source: {
      // A flood of unknown keys must not keep a key out that this process has not seen yet.
      find: createBatches({
        read: (keyIds) => lookUps.read(soon(), (sql) => findAccess(sql, keyIds)),
        // The directory limits how many wait.
        ...{ mostTogether: 500, readsAtOnce: 2, mostWaiting: Number.POSITIVE_INFINITY },
      }),
      changes: (sinceSeconds, limit) =>
        polls.read(soon(), async (sql) => {
          const [changed, deleted] = await Promise.all([
            findChangedAccess(sql, sinceSeconds, limit),
            findDeletedKeys(sql, sinceSeconds),
          ]);
          return { changed, deleted };
        }),
    },
    log,
  });
  // No request should wait for the first connection. The directory also starts without PostgreSQL.
  const start = async () => void (await Promise.all([directory.start(), lookUps.ping().catch(() => {})]));
  return { ...directory, start };
}
