import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { findAccess, findChangedAccess, recordUses } from './access.repository.ts';
import { type AccessDirectory, createAccessDirectory } from './access-directory.ts';
import { createKeyUsage, type KeyUsage } from './key-usage.ts';

/** A look-up that takes longer is no better than none: the answer would be too old. */
const lookUpLimitMs = 1000;

/**
 * The directory and the record of uses on the database. The poll has connections of its own, so that a flood of unknown
 * keys, each of which is looked up, cannot hold it up.
 */
export function createAccess(options: { lookUps: SystemDatabase; polls: SystemDatabase; log: Log }): {
  directory: AccessDirectory;
  usage: KeyUsage;
} {
  const { lookUps, polls, log } = options;
  const soon = () => ({ deadline: Date.now() + lookUpLimitMs });
  const directory = createAccessDirectory({
    source: {
      find: (keyId) => lookUps.read(soon(), (sql) => findAccess(sql, keyId)),
      changed: (sinceSeconds, limit) => polls.read(soon(), (sql) => findChangedAccess(sql, sinceSeconds, limit)),
    },
    log,
  });
  const usage = createKeyUsage({ write: (uses) => lookUps.write(soon(), (sql) => recordUses(sql, uses)), log });
  return { directory, usage };
}
