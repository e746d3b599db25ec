import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { Gauge } from 'prom-client';
import { countUnsettled } from './watch.repository.ts';

const readLimitMs = 2_000;

/** Exports how many messages are `queued`, `sending` or `unknown`. */
export function exportDeliveryMetrics({ registry }: Metrics, systemDatabase: SystemDatabase): void {
  new Gauge({
    name: 'mostrador_messages_unsettled',
    help: 'Outbound messages of all stores without an outcome, by status. The status unknown may need attention.',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      // A scrape must not fail when PostgreSQL is down. NaN says that the numbers are not known.
      const counts = await systemDatabase
        .read({ deadline: Date.now() + readLimitMs }, countUnsettled)
        .catch(() => ({ queued: Number.NaN, sending: Number.NaN, unknown: Number.NaN }));
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
    },
  });
}
