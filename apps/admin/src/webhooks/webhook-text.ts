import type { WebhookEndpoint } from '@mostrador/contracts';
import { idFrom } from '../check.ts';
import { record, shown } from '../terminal.ts';

/** The option of every command that names an endpoint. */
export const endpointOption = [
  '--endpoint <id>',
  'the webhook endpoint; `webhook list` shows the ids (required)',
] as const;

/** Returns the id of `--endpoint`. Throws UsageError when it is missing or no UUID. */
export const endpointFrom = (typed: string | undefined): string =>
  idFrom(typed, { option: '--endpoint', of: 'a webhook endpoint; `webhook list` shows the ids' });

/** Converts typed types to a list. */
export const typeList = (typed: string): string[] => typed.split(',').map((type) => type.trim());

export const typesText = (types: readonly string[] | null): string => types?.map(shown).join(',') ?? 'all';

/** Who created an endpoint. `key list` shows who created a key. */
export const creatorText = ({ created_by: by }: Pick<WebhookEndpoint, 'created_by'>): string => {
  if (!by) return 'not recorded';
  if (by.kind === 'operator') return 'operator';
  return by.kind === 'api_key' ? `key ${by.id}` : `user ${by.id}`;
};

/** An endpoint as a person reads it. */
export const endpointRecord = (endpoint: WebhookEndpoint): string =>
  record({
    id: endpoint.id,
    url: shown(endpoint.url),
    description: endpoint.description === null ? null : shown(endpoint.description),
    types: typesText(endpoint.event_types),
    ordering: endpoint.ordering,
    payload: endpoint.payload,
    'at once': endpoint.max_in_flight,
    status: stateOf(endpoint),
    'public key': endpoint.public_key,
    'last success': endpoint.health.last_success_at,
    'failing since': endpoint.health.failing_since,
    pending: endpoint.health.pending,
    'oldest pending': endpoint.health.oldest_pending_at,
    'next attempt': endpoint.health.next_attempt_at,
    created: endpoint.created_at,
    'created by': creatorText(endpoint),
    changed: endpoint.updated_at,
  });

/** The status, with the reason of a disabled endpoint. */
export const stateOf = ({ status, disabled_reason }: WebhookEndpoint): string =>
  disabled_reason ? `${status} (${disabled_reason})` : status;

/** A new secret, which is shown only here. */
export const secretText = (secret: string): string =>
  `${secret}\n\nThis secret is shown only once. The receiver verifies signatures with it.`;
