import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { oldestPendingSync } from './sync.repository.ts';

const readLimitMs = 2_000;

export const oldestSync = {
  name: 'mostrador_calendar_sync_oldest_seconds',
  type: 'gauge',
  help: 'For how long the oldest pending calendar sync has waited, also for its own calendar. 0: none is pending.',
  once: true,
} as const satisfies MetricDefinition;

/** How old the oldest pending sync of all stores is. */
export const syncGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: [oldestSync],
  read: async () => [
    {
      metric: oldestSync,
      value: await systemDatabase.read({ deadline: Date.now() + readLimitMs }, oldestPendingSync),
    },
  ],
});
