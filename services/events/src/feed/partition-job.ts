import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { dropPartition, expireFeeds, findPartitionDays, makePartition } from './partition.repository.ts';
import { daysToMake, firstKeptDay } from './partitions.ts';

const everyMs = 10 * 60_000;
const statementLimitMs = 10_000;
const scope = () => ({ deadline: Date.now() + statementLimitMs });

type Options = { readonly systemDatabase: SystemDatabase; readonly log: Log };

/** Makes the partitions of the next days, and removes those that are older than the feed keeps events. */
export function partitionJob({ systemDatabase, log }: Options): Periodic {
  const run = async (signal: AbortSignal) => {
    const now = new Date();
    await makePartitions(systemDatabase, now);
    const dropped = await removeExpired(systemDatabase, now, signal);
    if (dropped.length > 0) log.info({ days: dropped }, 'events older than the feed keeps were removed');
  };
  const job = periodically({ name: 'partitions of the event feed', everyMs, log, run });
  return {
    start() {
      // The first pass of the job comes later. An append would make its partition, too, but would wait for it.
      makePartitions(systemDatabase, new Date()).catch((error) => log.warn({ err: error }, 'no partitions were made'));
      job.start();
    },
    stop: () => job.stop(),
  };
}

export async function makePartitions(database: SystemDatabase, now: Date): Promise<void> {
  const days = new Set(await database.read(scope(), findPartitionDays));
  for (const day of daysToMake(now)) {
    if (!days.has(day)) await database.write(scope(), (sql) => makePartition(sql, day));
  }
}

/**
 * Removes the events of the days that are over for longer than the feed keeps events. First it moves `oldest_sequence`
 * past them in every feed, in small transactions. A reader whose cursor is older gets `cursor_expired` from then on. Only
 * then it drops the partitions, which removes nothing that a feed still shows.
 *
 * @returns the days that were dropped
 */
export async function removeExpired(database: SystemDatabase, now: Date, signal?: AbortSignal): Promise<string[]> {
  const before = firstKeptDay(now);
  const expired = (await database.read(scope(), findPartitionDays)).filter((day) => day < before);
  if (expired.length === 0) return [];
  let after: string | undefined;
  do {
    signal?.throwIfAborted();
    after = await database.write(scope(), (sql) => expireFeeds(sql, { before, after }));
  } while (after !== undefined);
  for (const day of expired) await database.write(scope(), (sql) => dropPartition(sql, day));
  return expired;
}
