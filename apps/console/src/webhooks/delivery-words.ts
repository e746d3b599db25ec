import type { WebhookDelivery } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

export const statusWords: Record<WebhookDelivery['status'], () => string> = {
  pending: m.webhooks_delivery_pending,
  succeeded: m.webhooks_delivery_succeeded,
  failed: m.webhooks_delivery_failed,
  cancelled: m.webhooks_delivery_cancelled,
};
export const statusKinds = { pending: 'warn', succeeded: 'good', failed: 'bad', cancelled: undefined } as const;

const errors: Readonly<Record<string, () => string>> = {
  redirect: m.webhooks_error_redirect,
  timeout: m.webhooks_error_timeout,
  connection_failed: m.webhooks_error_connection,
  dns_failed: m.webhooks_error_dns,
  tls_failed: m.webhooks_error_tls,
  address_refused: m.webhooks_error_address,
  internal_error: m.webhooks_error_internal,
  given_up: m.webhooks_error_given_up,
  event_expired: m.webhooks_error_expired,
  cancelled: m.webhooks_error_cancelled,
};

/** Why an attempt failed or a delivery ended, in words. An error that is not known here stays as it is. */
export function wordsOfError(error: string): string {
  const status = /^http_(\d{3})$/.exec(error)?.[1];
  if (status) return m.webhooks_error_status({ status });
  return errors[error]?.() ?? error;
}
