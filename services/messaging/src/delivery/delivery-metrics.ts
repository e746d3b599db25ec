import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { findUnsettledState } from './watch.repository.ts';

const readLimitMs = 2_000;
const labels = { status: '`queued`, `sending`, `unknown`' };

export const deliveryMetrics = {
  unsettled: {
    name: 'mostrador_messages_unsettled',
    type: 'gauge',
    help: 'Outbound messages of all stores without an outcome, by status. The status unknown may need attention.',
    labels,
    once: true,
  },
  oldest: {
    name: 'mostrador_messages_oldest_seconds',
    type: 'gauge',
    help: 'The age of the oldest of them. 0: there is none. One may wait for its own channel: `mostrador_overdue_seconds` does not count that.',
    labels,
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

/** How many messages are `queued`, `sending` or `unknown`, and how old the oldest is. */
export const deliveryGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: Object.values(deliveryMetrics),
  async read() {
    const states = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, findUnsettledState);
    return Object.entries(states).flatMap(([status, { count, oldestSeconds }]) => [
      { metric: deliveryMetrics.unsettled, labels: { status }, value: count },
      { metric: deliveryMetrics.oldest, labels: { status }, value: oldestSeconds },
    ]);
  },
});
