import type { CarrierName } from '@mostrador/contracts/workflows';
import type { NatsConnection } from 'nats';
import type { TemporalStarter } from '../clients/temporal.ts';
import type { SystemDatabase } from '../database/database.ts';
import type { Log } from '../process/log.ts';
import { createEventPublisher } from './event-delivery.ts';
import { type OutboxRow, outboxRepository } from './outbox.repository.ts';
import { createLane } from './outbox-delivery.ts';

export type RelayOptions = {
  readonly database: SystemDatabase;
  readonly temporal: TemporalStarter;
  readonly nats: NatsConnection;
  readonly log: Log;
  /** How often it looks without being nudged; 1 s unless said. */
  readonly sweepIntervalMs?: number;
  /** Rows taken at a time; 100 unless said. */
  readonly batch?: number;
  /** After this long, rows whose taker died are taken again; 12 s unless said. */
  readonly leaseMs?: number;
};

/**
 * Carries what transactions left in the outbox to Temporal and to the event stream, at least once each. Any number may
 * run: a row is leased by one at a time, and comes back when that one dies.
 */
export type Relay = {
  start(): void;
  /** Something was just committed: look now. */
  nudge(): void;
  /** Finishes what is in flight and takes no more. */
  stop(): Promise<void>;
  /** Rows that are waiting. */
  backlog(): Promise<number>;
};

export function createRelay(options: RelayOptions): Relay {
  const { temporal, log, sweepIntervalMs = 1000, batch = 100, leaseMs = 12_000 } = options;
  const repository = outboxRepository(options.database);
  const shared = { repository, log, sweepIntervalMs, batch, leaseMs };
  const lanes = [
    createLane({
      ...shared,
      kind: 'workflow',
      parallel: 16,
      // All signals mean *look at the row*, so one does for several.
      sameAs: (row) => `${row.topic} ${row.entity_id}`,
      send: (row) => wakeWorkflow(temporal, row),
    }),
    createLane({
      ...shared,
      kind: 'event',
      parallel: 64,
      sameAs: (row) => row.id,
      send: createEventPublisher(options.nats),
    }),
  ];
  return {
    start() {
      for (const lane of lanes) lane.start();
    },
    nudge() {
      for (const lane of lanes) lane.nudge();
    },
    stop: async () => void (await Promise.all(lanes.map((lane) => lane.stop()))),
    backlog: repository.count,
  };
}

function wakeWorkflow(temporal: TemporalStarter, row: OutboxRow): Promise<void> {
  // A check constraint of the table makes these two present.
  const { entity_id: entityId, signal } = row as OutboxRow & { entity_id: string; signal: string };
  return temporal.signalWithStart(
    row.topic as CarrierName,
    { storeId: row.store_id, entityId, leadId: row.lead_id },
    signal,
  );
}
