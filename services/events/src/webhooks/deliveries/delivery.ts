import type { DeliveryStatus, getWebhookDelivery, ReplyOf, WebhookDelivery } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

export type DeliveryRow = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly lease_token: string | null;
  readonly error: string | null;
  readonly replay_id: string | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
};

export type AttemptRow = {
  readonly number: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
};

export const toWebhookDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  endpoint_id: row.endpoint_id,
  event_id: row.event_id,
  event_type: row.event_type,
  sequence: row.sequence,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at && toTimestamp(row.next_attempt_at),
  error: row.error,
  replay_id: row.replay_id,
  created_at: toTimestamp(row.created_at),
  completed_at: row.completed_at && toTimestamp(row.completed_at),
});

type Log = ReplyOf<typeof getWebhookDelivery>['log'];

export const toLog = (rows: readonly AttemptRow[]): Log =>
  rows.map(({ started_at, ...row }) => ({ ...row, started_at: toTimestamp(started_at) }));
