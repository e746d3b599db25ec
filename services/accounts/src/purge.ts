import type { SystemDatabase } from '@mostrador/kit/database/database';
import { purgeAttempts } from './credentials/attempts.repository.ts';
import { windowMinutes } from './credentials/attempts.ts';
import { purgeOldDevices } from './credentials/devices.ts';
import { purgeOidcAttempts } from './oidc/oidc.repository.ts';
import { purgeChallenges } from './passkeys/passkey.repository.ts';
import { purgeOver } from './sessions/session.repository.ts';

const batch = 1000;
const limitMs = 10_000;

/** The service's purge: login links and sessions that have been over for 30 days, and attempts and challenges that no longer count. */
export async function purge(database: SystemDatabase): Promise<void> {
  for (;;) {
    const deleted = await database.write(
      { deadline: Date.now() + limitMs },
      async (sql) =>
        (await purgeOver(sql, batch)) +
        (await purgeAttempts(sql, windowMinutes, batch)) +
        (await purgeOldDevices(sql, batch)) +
        (await purgeChallenges(sql, batch)) +
        (await purgeOidcAttempts(sql, batch)),
    );
    if (deleted < batch) return;
  }
}
