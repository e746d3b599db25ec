import type { SystemDatabase } from '@mostrador/kit/database/database';
import { queriedGauge } from '@mostrador/kit/database/queried-gauge';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { findPartitionDays } from './feed/partition.repository.ts';

export const partitionDays = {
  name: 'mostrador_feed_partition_days',
  type: 'gauge',
  help: 'Daily partitions of the event feed. More than 36: old ones are not removed. None: an append makes its own.',
  once: true,
} as const satisfies MetricDefinition;

/** How many partitions the feed has. */
export const feedGauges = (systemDatabase: SystemDatabase) =>
  queriedGauge(systemDatabase, partitionDays, async (sql) => (await findPartitionDays(sql)).length);
