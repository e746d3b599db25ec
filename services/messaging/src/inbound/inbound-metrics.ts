import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { Gauge } from 'prom-client';
import { countFailedByCode } from './inbound.repository.ts';

const readLimitMs = 2_000;

/** Exports how many webhook payloads were given up and are kept, so something that a customer wrote may be missing. */
export function exportInboundMetrics({ registry }: Pick<Metrics, 'registry'>, systemDatabase: SystemDatabase): void {
  new Gauge({
    name: 'mostrador_inbound_failed_payloads',
    help: 'Kept webhook payloads of all stores that could not be processed completely, by error code. Look at each.',
    labelNames: ['code'],
    registers: [registry],
    async collect() {
      // A scrape must not fail when PostgreSQL is down. The gauge then has no value, because none is known.
      const counts = await systemDatabase
        .read({ deadline: Date.now() + readLimitMs }, countFailedByCode)
        .catch(() => []);
      this.reset();
      for (const { code, count } of counts) this.set({ code }, count);
    },
  });
}
