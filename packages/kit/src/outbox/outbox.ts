import type { EventData, EventType } from '@mostrador/contracts/events';
import type { EntityWorkflowName, SignalOf } from '@mostrador/contracts/workflows';
import type { TransactionSql } from '../database/database.ts';
import type { Origin } from '../rpc/actor.ts';
import { insertFeedEntries, type PublicEvent } from './feed.repository.ts';

export type { PublicEvent } from './feed.repository.ts';
export { createRelay, type Relay, type RelayOptions } from './relay.ts';

/** A wake-up: starts or signals the entity workflow of the row `entityId`. */
export type WakeUpEntry = {
  [Name in EntityWorkflowName]: {
    readonly kind: 'workflow';
    readonly workflow: Name;
    readonly entityId: string;
    readonly leadId?: string | null;
    readonly signal: SignalOf<Name>;
    /** What caused it. Default: what caused the transaction. */
    readonly origin?: Origin;
  };
}[EntityWorkflowName];

/** The wake-up of a row's workflow. Pass the row's lead, if it has one. */
export const wakeWorkflow = <Name extends EntityWorkflowName>(
  workflow: Name,
  entityId: string,
  signal: SignalOf<Name>,
  leadId: string | null = null,
): WakeUpEntry => ({ kind: 'workflow', workflow, entityId, leadId, signal }) as WakeUpEntry;

/** An event to publish. */
export type EventEntry = {
  [Type in EventType]: { readonly kind: 'event'; readonly type: Type; readonly data: EventData<Type> };
}[EventType];

export type OutboxEntry = WakeUpEntry | EventEntry | PublicEvent;

/** The entries with what caused them, for a transaction that does the work of several requests. */
export const causedBy = (origin: Origin, entries: readonly OutboxEntry[]): OutboxEntry[] =>
  entries.map((entry) => (entry.kind === 'event' ? entry : { ...entry, origin }));

/**
 * Writes entries that the relay delivers after this transaction commits. Nudge the relay after the commit; without a
 * nudge its sweep finds the rows within 1 s. Delivery is at least once. Only public events have an order: those of one
 * entity stay in the order of its changes, if the transaction has inserted or locked the entity's row before.
 */
export async function appendOutbox(
  sql: TransactionSql,
  storeId: string,
  entries: readonly OutboxEntry[],
): Promise<void> {
  await Promise.all(insertsOf(sql, storeId, entries));
}

/** As `appendOutbox`, at the end of the transaction: the commit does not wait for it (`withCommit`). */
export function appendOutboxWithCommit(sql: TransactionSql, storeId: string, entries: readonly OutboxEntry[]): void {
  for (const statement of insertsOf(sql, storeId, entries)) sql.withCommit(statement);
}

function insertsOf(sql: TransactionSql, storeId: string, entries: readonly OutboxEntry[]) {
  const forFeed = entries.filter((entry) => entry.kind === 'feed');
  const others = entries.filter((entry) => entry.kind !== 'feed');
  return [
    ...(others.length > 0 ? [insertEntries(sql, storeId, others)] : []),
    ...(forFeed.length > 0 ? [insertFeedEntries(sql, storeId, forFeed)] : []),
  ];
}

function insertEntries(sql: TransactionSql, storeId: string, entries: readonly (WakeUpEntry | EventEntry)[]) {
  const rows = entries.map((entry) =>
    entry.kind === 'workflow'
      ? {
          kind: entry.kind,
          topic: entry.workflow,
          entity_id: entry.entityId,
          lead_id: entry.leadId ?? null,
          signal: entry.signal,
          traceparent: (entry.origin ?? sql.origin).traceparent,
        }
      : { kind: entry.kind, topic: entry.type, data: entry.data },
  );
  return sql`
    insert into outbox (store_id, kind, topic, entity_id, lead_id, signal, traceparent, data)
    select ${storeId}::uuid, kind, topic, entity_id, lead_id, signal, traceparent, data
    from jsonb_to_recordset(${sql.json(rows)})
      as entry (kind text, topic text, entity_id uuid, lead_id uuid, signal text, traceparent text, data jsonb)`;
}
