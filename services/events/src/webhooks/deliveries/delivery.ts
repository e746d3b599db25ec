import type { DeliveryStatus, getWebhookDelivery, ReplyOf, WebhookDelivery } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { type SendingState, timestampOrNull } from '../endpoints/endpoint.ts';
import { latest } from '../sending/next-move.ts';

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

/** When the next attempt is made at the earliest. Null when none is: the endpoint gets nothing. Pure. */
export function nextAttemptAt(
  { next_attempt_at: at }: Pick<DeliveryRow, 'next_attempt_at'>,
  { status, blocked_until }: SendingState,
  now: Date,
): Date | null {
  if (at === null || status !== 'enabled') return null;
  return latest(blocked_until, latest(now, at));
}

export const toWebhookDelivery = (row: DeliveryRow, endpoint: SendingState, now = new Date()): WebhookDelivery => ({
  id: row.id,
  endpoint_id: row.endpoint_id,
  event_id: row.event_id,
  event_type: row.event_type,
  sequence: row.sequence,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: timestampOrNull(nextAttemptAt(row, endpoint, now)),
  error: row.error,
  replay_id: row.replay_id,
  created_at: toTimestamp(row.created_at),
  completed_at: timestampOrNull(row.completed_at),
});

type Log = ReplyOf<typeof getWebhookDelivery>['log'];

export const toLog = (rows: readonly AttemptRow[]): Log =>
  rows.map(({ started_at, ...row }) => ({ ...row, started_at: toTimestamp(started_at) }));
