import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import { counter, type MetricDefinition, type Registered } from '@mostrador/kit/process/metrics';
import { findWebhookState } from './endpoints/watch.repository.ts';
import type { Outcome } from './sending/next-move.ts';

const readLimitMs = 2_000;

export const webhookMetrics = {
  attempts: {
    name: 'mostrador_webhook_attempts_total',
    type: 'counter',
    help: 'Attempts to deliver an event to a webhook endpoint, by their result: delivered, or why they failed.',
    labels: { result: '`delivered`, or the code of the failure' },
  },
  oldest: {
    name: 'mostrador_webhook_oldest_pending_seconds',
    type: 'gauge',
    help: 'The age of the oldest event that waits for delivery to an enabled webhook endpoint. 0: none waits.',
    once: true,
  },
  failing: {
    name: 'mostrador_webhook_endpoints_failing',
    type: 'gauge',
    help: 'Enabled webhook endpoints of which an attempt failed, and which have not delivered that event since.',
    once: true,
  },
  disabled: {
    name: 'mostrador_webhook_endpoints_disabled',
    type: 'gauge',
    help: 'Webhook endpoints that were given up, because they answered 410 or failed for 120 hours.',
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

/** How the deliveries of all stores go. */
export const webhookGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: [webhookMetrics.oldest, webhookMetrics.failing, webhookMetrics.disabled],
  async read() {
    const state = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, findWebhookState);
    return [
      { metric: webhookMetrics.oldest, value: state.oldestPendingSeconds },
      { metric: webhookMetrics.failing, value: state.failing },
      { metric: webhookMetrics.disabled, value: state.disabled },
    ];
  },
});

/** Returns the function that counts an attempt. */
export function countAttempts(metrics: Registered): (outcome: Outcome) => void {
  const attempts = counter(metrics, webhookMetrics.attempts);
  return (outcome) => attempts.inc({ result: outcome.kind === 'succeeded' ? 'delivered' : outcome.error });
}
