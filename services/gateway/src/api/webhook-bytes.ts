import type { Metrics } from '@mostrador/kit/process/metrics';
import { Gauge } from 'prom-client';

/** Counts the payload bytes that the webhooks of this process hold, up to a limit. */
export type WebhookBytes = {
  /** False: the limit would be exceeded, and nothing was counted. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

export function createWebhookBytes(options: { limit: number; metrics: Metrics }): WebhookBytes {
  const { limit, metrics } = options;
  let taken = 0;
  new Gauge({
    name: 'mostrador_webhook_bytes',
    help: 'Payload bytes of webhooks that arrive or wait for their answer.',
    registers: [metrics.registry],
    collect() {
      this.set(taken);
    },
  });
  return {
    take(bytes) {
      if (taken + bytes > limit) return false;
      taken += bytes;
      return true;
    },
    giveBack(bytes) {
      taken -= bytes;
    },
  };
}
