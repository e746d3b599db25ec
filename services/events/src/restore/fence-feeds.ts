import type { fenceFeeds as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { moveEndpoints } from '../webhooks/endpoints/watch.repository.ts';
import { beginEpoch, countToFence, holdAppends, restartFeeds } from './restore.repository.ts';

/** Readers that wait are not told: they look again every few seconds, and get `cursor_expired`. */
export const fenceFeeds =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async ({ deadline, log }, { body: { since: at, dry_run: dryRun = false } }) => {
    const since = toInstant(at);
    const feeds = dryRun
      ? await systemDatabase.read({ deadline }, (sql) => countToFence(sql, since))
      : await systemDatabase.write({ deadline }, async (sql) => {
          await holdAppends(sql);
          const base = await beginEpoch(sql, since);
          await moveEndpoints(sql, base);
          return await restartFeeds(sql, base);
        });
    log.info({ since: at, dryRun, feeds }, 'the event feeds restart after a restore');
    return { feeds };
  };
