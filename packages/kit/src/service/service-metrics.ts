import type { Database, SystemDatabase } from '../database/database.ts';
import type { Relay } from '../outbox/outbox.ts';
import type { LeaderGauges } from '../process/leader-gauges.ts';
import { gauge, type MetricDefinition, type Registered } from '../process/metrics.ts';

export const databaseMetrics = {
  connections: {
    name: 'mostrador_database_connections',
    type: 'gauge',
    help: 'Connections in use, and operations that wait for one.',
    labels: { role: '`store` for requests, `system` for the work of no store', state: '`busy`, `waiting`' },
  },
  size: {
    name: 'mostrador_database_connections_limit',
    type: 'gauge',
    help: 'The most connections of the process: `DATABASE_POOL_SIZE` and `DATABASE_SYSTEM_POOL_SIZE`.',
    labels: { role: '`store`, `system`' },
  },
} as const satisfies Record<string, MetricDefinition>;

export const outboxMetrics = {
  entries: {
    name: 'mostrador_outbox_entries',
    type: 'gauge',
    help: 'Outbox entries that wait for delivery to Temporal or to the event stream. At most 10,000 are counted.',
    once: true,
  },
  setAside: {
    name: 'mostrador_outbox_entries_set_aside',
    type: 'gauge',
    help: 'Entries that were refused ten times or more. The log names them. At most 10,000 are counted.',
    once: true,
  },
  oldestSeconds: {
    name: 'mostrador_outbox_oldest_seconds',
    type: 'gauge',
    help: 'How long the oldest outbox entry has waited, without those that were set aside. 0: none waits.',
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

export const feedBacklogMetrics = {
  entries: {
    name: 'mostrador_feed_entries',
    type: 'gauge',
    help: 'Public events that wait for delivery to the events service. At most 10,000 are counted.',
    once: true,
  },
  setAside: {
    name: 'mostrador_feed_entries_set_aside',
    type: 'gauge',
    help: 'Public events that the events service refused. The log names them. At most 10,000 are counted.',
    once: true,
  },
  oldestSeconds: {
    name: 'mostrador_feed_oldest_seconds',
    type: 'gauge',
    help: 'How long the oldest public event has waited for delivery. 0: none waits.',
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

type Backlog = { readonly entries: number; readonly setAside: number; readonly oldestSeconds: number };
type BacklogMetrics = typeof outboxMetrics | typeof feedBacklogMetrics;

const backlogGauges = (metrics: BacklogMetrics, read: () => Promise<Backlog | undefined>): LeaderGauges => ({
  metrics: Object.values(metrics),
  async read() {
    const backlog = await read();
    if (backlog === undefined) return [];
    return (['entries', 'setAside', 'oldestSeconds'] as const).map((member) => ({
      metric: metrics[member],
      value: backlog[member],
    }));
  },
});

/** What waits in the outbox, and, of a service with public events, in its table `feed_entries`. */
export const relayGauges = (relay: Relay, publishesEvents: boolean): LeaderGauges[] => [
  backlogGauges(outboxMetrics, relay.backlog),
  ...(publishesEvents ? [backlogGauges(feedBacklogMetrics, relay.feedBacklog)] : []),
];

/** Exports the connections of a process. The checks and the gauges of the leader have a connection of their own. */
export function exportConnections(
  metrics: Registered,
  pools: { readonly store?: Database; readonly system: SystemDatabase },
): void {
  const each = Object.entries(pools);
  gauge(metrics, databaseMetrics.connections, (connections) => {
    for (const [role, { stats }] of each) {
      const { busy, waiting } = stats();
      connections.set({ role, state: 'busy' }, busy);
      connections.set({ role, state: 'waiting' }, waiting);
    }
  });
  gauge(metrics, databaseMetrics.size, (limit) => {
    for (const [role, { stats }] of each) limit.set({ role }, stats().size);
  });
}
