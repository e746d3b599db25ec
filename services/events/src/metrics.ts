import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { findPartitionDays } from './feed/partition.repository.ts';

const readLimitMs = 2_000;

export const partitionDays = {
  name: 'mostrador_feed_partition_days',
  type: 'gauge',
  help: 'Daily partitions of the event feed. More than 36: old ones are not removed. None: an append makes its own.',
  once: true,
} as const satisfies MetricDefinition;

/** How many partitions the feed has. */
export const feedGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: [partitionDays],
  async read() {
    const days = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, findPartitionDays);
    return [{ metric: partitionDays, value: days.length }];
  },
});
