import type { EntityWorkflowName } from '@mostrador/contracts/workflows';
import type { TemporalStarter } from '../clients/temporal.ts';
import type { OutboxRow } from './outbox.repository.ts';
import { createOutboxDelivery, type OutboxDelivery, type SharedDeliveryOptions } from './outbox-delivery.ts';

/** Signals to slow workflows wait up to 5 s, so there are places for others. */
const parallelSignals = 32;

/** Delivers wake-ups to Temporal: signal-with-start of the row's entity workflow. */
export function createWorkflowDelivery(
  options: SharedDeliveryOptions & { readonly temporal: TemporalStarter },
): OutboxDelivery {
  return createOutboxDelivery({
    ...options,
    kind: 'workflow',
    parallel: parallelSignals,
    // Every signal means *run the step again*, so one signal replaces several.
    sameAs: (row) => `${row.topic} ${row.entity_id}`,
    send: (row) => wake(options.temporal, row),
  });
}

function wake(temporal: TemporalStarter, row: OutboxRow): Promise<void> {
  // A check constraint of the table guarantees these two.
  const { entity_id: entityId, signal } = row as OutboxRow & { entity_id: string; signal: string };
  const input = { storeId: row.store_id, entityId, leadId: row.lead_id };
  return temporal.signalWithStart(row.topic as EntityWorkflowName, input, signal);
}
