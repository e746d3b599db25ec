import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { Gauge } from 'prom-client';
import { countUnsettled } from './watch.repository.ts';

const readLimitMs = 2_000;

/** Shows how many messages wait, and how many have an outcome that nobody knows. */
export function exportDeliveryMetrics({ registry }: Metrics, systemDatabase: SystemDatabase): void {
  new Gauge({
    name: 'mostrador_messages_unsettled',
    help: 'Outbound messages of all stores without an outcome, by status; unknown ones may need a person.',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      // A scrape must not fail because PostgreSQL is away: then the numbers are not known.
      const counts = await systemDatabase
        .read({ deadline: Date.now() + readLimitMs }, countUnsettled)
        .catch(() => ({ queued: Number.NaN, sending: Number.NaN, unknown: Number.NaN }));
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
    },
  });
}
