import type { NatsConnection } from 'nats';
import type { TemporalStarter } from '../clients/temporal.ts';
import type { SystemDatabase } from '../database/database.ts';
import type { Log } from '../process/log.ts';
import { periodically } from '../process/periodic.ts';
import type { Tracing } from '../process/tracing.ts';
import type { RpcClient } from '../rpc/client.ts';
import { createEventDelivery } from './event-delivery.ts';
import { type FeedBacklog, feedRepository } from './feed.repository.ts';
import { createFeedDelivery } from './feed-delivery.ts';
import { type Due, type OutboxBacklog, outboxRepository } from './outbox.repository.ts';
import { type OutboxDelivery, ownSweepMs, setAsideAfter } from './outbox-delivery.ts';
import { createWorkflowDelivery } from './workflow-delivery.ts';

/** The kinds of outbox entries. */
const kinds = ['workflow', 'event', 'feed'] as const;
type Kind = (typeof kinds)[number];

export type RelayOptions = {
  readonly database: SystemDatabase;
  /** Delivers wake-ups. Only for a service that starts workflows. */
  readonly temporal?: TemporalStarter | undefined;
  readonly nats: NatsConnection;
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  /** Delivers public events to the events service. Only for a service with the table `feed_entries`. */
  readonly feed?: Pick<RpcClient, 'call'> | undefined;
  /**
   * How often the relay looks for rows without a nudge, in milliseconds. Default 1,000. While none waits, it looks a fifth
   * as often: then only a process that died can have left some.
   */
  readonly sweepIntervalMs?: number;
  /** How many rows a claim takes. Default 100. */
  readonly batch?: number;
  /** The lease in milliseconds: after it, other relays claim the rows of a dead process. Default 12,000. */
  readonly leaseMs?: number;
};

/**
 * Delivers outbox entries to Temporal and to the event stream, and public events to the events service, each at least
 * once. Several relays may run: one at a time holds the lease of an outbox row, and the lease of a dead relay expires.
 */
export type Relay = {
  start(): void;
  /** A transaction has just committed: sweep now. `kinds`: it wrote entries of these kinds only. */
  nudge(kinds?: readonly Kind[]): void;
  /** Waits for its sends, gives back the other claimed rows, and claims no more. */
  stop(): Promise<void>;
  /** The rows that wait, those that were set aside because their receiver refuses them, and how long the oldest waits. */
  backlog(): Promise<OutboxBacklog>;
  /** The public events that wait for the events service. Undefined for a service that has none. */
  feedBacklog(): Promise<FeedBacklog | undefined>;
  /** Whether enough wake-ups wait for Temporal that more would not help. */
  isBehind(): Promise<boolean>;
};

/** How many times as long the relay pauses while no row waits. */
const calmSweeps = 5;

/** The pause after a look: until the next row is due, within limits. Undefined: PostgreSQL did not answer. */
export function pauseAfter(found: Due | undefined, sweepMs: number): number {
  if (found === undefined || kinds.some((kind) => found[kind])) return sweepMs;
  return Math.min(Math.max(found.nextMs, sweepMs), calmSweeps * sweepMs);
}

/** A relay that reaches Temporal delivers a wake-up well within this time. */
const lateMs = 5_000;
const lateWakeUps = 500;

export function createRelay(options: RelayOptions): Relay {
  const { temporal, nats, log, tracing, sweepIntervalMs = 1000, batch = 100, leaseMs = 12_000 } = options;
  const repository = outboxRepository(options.database);
  const shared = { repository, log, sweepIntervalMs, batch, leaseMs };
  const feed = options.feed && { repository: feedRepository(options.database), rpc: options.feed };
  const byKind: { readonly [One in Kind]: OutboxDelivery | undefined } = {
    workflow: temporal && createWorkflowDelivery({ ...shared, temporal, tracing }),
    event: createEventDelivery({ ...shared, nats }),
    feed: feed && createFeedDelivery({ ...feed, log, sweepIntervalMs: ownSweepMs }),
  };
  const deliveries = Object.values(byKind).filter((delivery) => delivery !== undefined);
  const nudge: Relay['nudge'] = (some) => {
    for (const delivery of some?.map((kind) => byKind[kind]) ?? deliveries) delivery?.nudge();
  };
  let pauseMs = sweepIntervalMs;
  /** One statement for all kinds. A delivery whose receiver or database does not answer sweeps by itself. */
  const look = async () => {
    const due = await repository.findDue(feed !== undefined).catch(() => undefined);
    nudge(due && kinds.filter((kind) => due[kind]));
    pauseMs = pauseAfter(due, sweepIntervalMs);
  };
  const looks = periodically({ name: 'look into the outbox', everyMs: () => pauseMs, log, run: look });
  return {
    start() {
      for (const delivery of deliveries) delivery.start();
      looks.start();
    },
    nudge,
    async stop() {
      await Promise.all([looks.stop(), ...deliveries.map((delivery) => delivery.stop())]);
    },
    backlog: () => repository.count(setAsideAfter),
    feedBacklog: async () => await feed?.repository.backlog(),
    isBehind: async () => (await repository.countLateWakeUps(lateMs, lateWakeUps)) >= lateWakeUps,
  };
}
