import type { WebhookEndpoint } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { relativeTime } from '../ui/time.ts';
import { type EndpointState, stateOf } from './endpoint-state.ts';

const kinds: Record<EndpointState, 'good' | 'warn' | 'bad' | undefined> = {
  working: 'good',
  unused: undefined,
  paused: 'warn',
  failing: 'bad',
  gave_up: 'bad',
  gone: 'bad',
};
const words: Record<EndpointState, () => string> = {
  working: m.webhooks_working,
  unused: m.webhooks_unused,
  paused: m.webhooks_paused,
  failing: m.webhooks_failing,
  gave_up: m.webhooks_stopped,
  gone: m.webhooks_stopped,
};

export function EndpointBadge({ endpoint }: { endpoint: WebhookEndpoint }) {
  const state = stateOf(endpoint);
  return <Badge kind={kinds[state]}>{words[state]()}</Badge>;
}

/** How its deliveries go, and what follows from it. */
export function wordsOfHealth(endpoint: WebhookEndpoint, now: number): string {
  const { last_success_at, failing_since, next_attempt_at } = endpoint.health;
  const since = failing_since && relativeTime(failing_since, now);
  switch (stateOf(endpoint)) {
    case 'gone':
      return m.webhooks_health_gone();
    case 'gave_up':
      return m.webhooks_health_gave_up();
    case 'paused':
      return m.webhooks_health_paused();
    case 'failing':
      return next_attempt_at && Date.parse(next_attempt_at) > now
        ? m.webhooks_health_failing_next({ since: since ?? '', next: relativeTime(next_attempt_at, now) })
        : m.webhooks_health_failing({ since: since ?? '' });
    case 'working':
      return m.webhooks_health_working({ when: relativeTime(last_success_at ?? '', now) });
    case 'unused':
      return m.webhooks_health_unused();
  }
}
