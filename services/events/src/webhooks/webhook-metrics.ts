import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { Counter, Gauge } from 'prom-client';
import { findWebhookState } from './endpoints/watch.repository.ts';
import type { Outcome } from './sending/next-move.ts';

const readLimitMs = 2_000;

/** Exports how the deliveries of all stores go. Returns the function that counts an attempt. */
export function exportWebhookMetrics(
  { registry }: Metrics,
  systemDatabase: SystemDatabase,
): (outcome: Outcome) => void {
  const attempts = new Counter({
    name: 'mostrador_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook endpoint, by their result: delivered, or why they failed.',
    labelNames: ['result'],
    registers: [registry],
  });
  // One read of the database serves both gauges of a scrape. NaN says that the numbers are not known.
  const unknown = { oldestPendingSeconds: Number.NaN, disabled: Number.NaN };
  let reading: Promise<typeof unknown> | undefined;
  const read = () => {
    reading ??= systemDatabase
      .read({ deadline: Date.now() + readLimitMs }, findWebhookState)
      .catch(() => unknown)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  new Gauge({
    name: 'mostrador_webhook_oldest_pending_seconds',
    help: 'The age of the oldest event that waits for delivery to an enabled webhook endpoint. 0: none waits.',
    registers: [registry],
    async collect() {
      this.set((await read()).oldestPendingSeconds);
    },
  });
  new Gauge({
    name: 'mostrador_webhook_endpoints_disabled',
    help: 'Webhook endpoints that were given up, because they answered 410 or failed for 120 hours.',
    registers: [registry],
    async collect() {
      this.set((await read()).disabled);
    },
  });
  return (outcome) => attempts.inc({ result: outcome.kind === 'succeeded' ? 'delivered' : outcome.error });
}
