import { gauge, type MetricDefinition, type Metrics } from '@mostrador/kit/process/metrics';

/** Counts the payload bytes that the webhooks of this process hold, up to a limit. */
export type WebhookBytes = {
  /** False: the limit would be exceeded, and nothing was counted. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

export const webhookBytes = {
  name: 'mostrador_webhook_bytes',
  type: 'gauge',
  help: 'Payload bytes of webhooks of channels that arrive or wait for their answer.',
} as const satisfies MetricDefinition;

export function createWebhookBytes(options: { limit: number; metrics: Metrics }): WebhookBytes {
  const { limit, metrics } = options;
  let taken = 0;
  gauge(metrics, webhookBytes, (each) => each.set(taken));
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
