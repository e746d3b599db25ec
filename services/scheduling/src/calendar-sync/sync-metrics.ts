import type { SystemDatabase } from '@mostrador/kit/database/database';
import { queriedGauge } from '@mostrador/kit/database/queried-gauge';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { oldestPendingSync } from './sync.repository.ts';

export const oldestSync = {
  name: 'mostrador_calendar_sync_oldest_seconds',
  type: 'gauge',
  help: 'For how long the oldest pending calendar sync has waited, also for its own calendar. 0: none is pending.',
  once: true,
} as const satisfies MetricDefinition;

export const syncGauges = (systemDatabase: SystemDatabase) =>
  queriedGauge(systemDatabase, oldestSync, oldestPendingSync);
