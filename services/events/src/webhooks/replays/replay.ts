import type { WebhookReplay } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** No more deliveries are opened while this many of a replay wait, so that new events do not wait behind all of it. */
export const mostWaiting = 200;

export type ReplayRow = {
  readonly store_id: string;
  readonly id: string;
  readonly endpoint_id: string;
  readonly selection: WebhookReplay['only'];
  readonly event_types: readonly string[] | null;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly looked_through: number;
  /** How many deliveries it has opened. */
  readonly chosen: number;
  readonly status: WebhookReplay['status'];
  readonly created_at: Date;
  readonly ended_at: Date | null;
};

/** How many of its deliveries have which status. A later replay of the same event takes its delivery over. */
export type ReplayProgress = { readonly pending: number; readonly succeeded: number; readonly failed: number };

export const toWebhookReplay = (row: ReplayRow & ReplayProgress): WebhookReplay => ({
  id: row.id,
  endpoint_id: row.endpoint_id,
  status: row.status,
  only: row.selection,
  from_sequence: row.from_sequence,
  to_sequence: row.to_sequence,
  types: row.event_types && [...row.event_types],
  looked_through: row.looked_through,
  deliveries: { total: row.chosen, pending: row.pending, succeeded: row.succeeded, failed: row.failed },
  created_at: toTimestamp(row.created_at),
  ended_at: row.ended_at && toTimestamp(row.ended_at),
});
