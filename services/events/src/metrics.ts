import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { Gauge } from 'prom-client';
import { findPartitionDays } from './feed/partition.repository.ts';

const readLimitMs = 2_000;

/** Exports until when the partitions of the feed are made, and from when they are kept. */
export function exportFeedMetrics({ registry }: Metrics, systemDatabase: SystemDatabase): void {
  new Gauge({
    name: 'mostrador_feed_partition_days',
    help: 'Daily partitions of the event feed. More than 36: old ones are not removed. None: an append makes its own.',
    registers: [registry],
    async collect() {
      // A scrape must not fail when PostgreSQL is down. NaN says that the number is not known.
      const days = systemDatabase.read({ deadline: Date.now() + readLimitMs }, findPartitionDays);
      this.set(await days.then(({ length }) => length).catch(() => Number.NaN));
    },
  });
}
