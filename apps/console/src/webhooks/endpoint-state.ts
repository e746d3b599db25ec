import type { WebhookEndpoint } from '../api/platform.ts';

/** How an endpoint does, in one word. A pause or an end counts more than how the last delivery went. */
export type EndpointState = 'gone' | 'gave_up' | 'paused' | 'failing' | 'working' | 'unused';

export function stateOf({ status, disabled_reason, health }: EndpointFacts): EndpointState {
  if (status === 'disabled') return disabled_reason === 'gone' ? 'gone' : 'gave_up';
  if (status === 'paused') return 'paused';
  if (health.failing_since !== null) return 'failing';
  return health.last_success_at === null ? 'unused' : 'working';
}

type EndpointFacts = Pick<WebhookEndpoint, 'status' | 'disabled_reason'> & {
  readonly health: Pick<WebhookEndpoint['health'], 'failing_since' | 'last_success_at'>;
};
