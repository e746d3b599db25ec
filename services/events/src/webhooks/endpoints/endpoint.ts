import { isDeepStrictEqual } from 'node:util';
import type {
  RequestOf,
  updateWebhookEndpoint,
  WebhookCreator,
  WebhookDisabledReason,
  WebhookEndpoint,
  WebhookFilter,
} from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { type Endpoint, latest } from '../sending/next-move.ts';

/** What a request sets. */
export type EndpointSettings = {
  readonly url: string;
  readonly description: string | null;
  /** Null: every type. */
  readonly event_types: readonly string[] | null;
  readonly filters: readonly WebhookFilter[] | null;
  readonly ordering: WebhookEndpoint['ordering'];
  readonly payload: WebhookEndpoint['payload'];
  readonly max_in_flight: number;
};

export type EndpointRow = EndpointSettings &
  Endpoint & {
    readonly store_id: string;
    readonly id: string;
    readonly disabled_reason: WebhookDisabledReason | null;
    readonly sealed_secrets: string;
    readonly public_key: string | null;
    readonly planned_through: number;
    /** The queue is full, so no more deliveries are made: until this moment, or until one of them changes. */
    readonly full_until: Date | null;
    readonly sender: 'service' | 'workflow';
    readonly due_at: Date | null;
    readonly version: number;
    readonly creator_kind: WebhookCreator['kind'] | null;
    readonly creator_id: string | null;
    readonly created_at: Date;
    readonly updated_at: Date;
  };

/** What the next attempts of an endpoint's deliveries depend on. */
export type SendingState = Pick<EndpointRow, 'status' | 'blocked_until'>;

/** What waits for an endpoint. */
export type Pending = { readonly pending: number; readonly oldest_pending_at: Date | null };

export const creatorOf = ({ creator_kind: kind, creator_id: id }: EndpointRow): WebhookCreator | null =>
  kind && { kind, id };

export const timestampOrNull = (at: Date | null) => at && toTimestamp(at);

/** What was due before `now` is due now. */
export function toWebhookEndpoint(row: EndpointRow & Pending, now = new Date()): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.event_types && [...row.event_types],
    filters: row.filters && [...row.filters],
    ordering: row.ordering,
    payload: row.payload,
    max_in_flight: row.max_in_flight,
    status: row.status,
    disabled_reason: row.disabled_reason,
    public_key: row.public_key,
    health: {
      last_success_at: timestampOrNull(row.last_success_at),
      failing_since: timestampOrNull(row.failing_since),
      next_attempt_at: timestampOrNull(row.due_at && latest(now, row.due_at)),
      pending: row.pending,
      oldest_pending_at: timestampOrNull(row.oldest_pending_at),
    },
    created_by: creatorOf(row),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/** Its deliveries change what is shown without a new version. */
export const endpointEtag = (row: EndpointRow & Pending): string => {
  // Not of the present moment, which would make a new ETag for each request.
  const { health } = toWebhookEndpoint(row, new Date(0));
  const shown = Object.values(health).map((value) => String(value ?? '').replaceAll(/\W/g, ''));
  return etagOf(row.version, shown.join('_'));
};

/** The settings after a change, or undefined when they stay the same. */
export function changeSettings(
  row: EndpointRow,
  change: RequestOf<typeof updateWebhookEndpoint>['body'],
): EndpointSettings | undefined {
  const { url, description, event_types, filters, ordering, payload, max_in_flight } = row;
  const before = { url, description, event_types, filters, ordering, payload, max_in_flight };
  const after: EndpointSettings = {
    url: change.url ?? url,
    description: change.description === undefined ? description : change.description,
    event_types: change.event_types === undefined ? event_types : change.event_types,
    filters: change.filters === undefined ? filters : change.filters,
    ordering: change.ordering ?? ordering,
    payload: change.payload ?? payload,
    max_in_flight: change.max_in_flight ?? max_in_flight,
  };
  return isDeepStrictEqual(after, before) ? undefined : after;
}
