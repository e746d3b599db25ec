import type { EntityWorkflowName } from '@mostrador/contracts/workflows';
import type { TemporalStarter } from '../clients/temporal.ts';
import { inSpan, type Tracing } from '../process/tracing.ts';
import type { OutboxRow } from './outbox.repository.ts';
import { createOutboxDelivery, type OutboxDelivery, type SharedDeliveryOptions } from './outbox-delivery.ts';

/** Signals to slow workflows wait up to 5 s, so there are places for others. */
const parallelSignals = 32;

/** Delivers wake-ups to Temporal: signal-with-start of the row's entity workflow. */
export function createWorkflowDelivery(
  options: SharedDeliveryOptions & { readonly temporal: TemporalStarter; readonly tracing?: Tracing | undefined },
): OutboxDelivery {
  const { temporal, tracing } = options;
  return createOutboxDelivery({
    ...options,
    kind: 'workflow',
    parallel: parallelSignals,
    // Every signal means *run the step again*, so one signal replaces several.
    sameAs: (row) => `${row.topic} ${row.entity_id}`,
    send: (row) => (tracing ? wakeInTrace(tracing, temporal, row) : wake(temporal, row)),
  });
}

/** Goes on with the trace of what wrote the entry. `temporal` passes it on to the workflow. */
function wakeInTrace(tracing: Tracing, temporal: TemporalStarter, row: OutboxRow): Promise<void> {
  const span = tracing.follow('producer', `wake ${row.topic}`, {
    parent: row.traceparent,
    attributes: () => ({
      ...{ 'mostrador.store_id': row.store_id, 'mostrador.entity_id': row.entity_id ?? undefined },
      ...{ 'mostrador.signal': row.signal ?? undefined, 'mostrador.attempt': row.attempts },
      'mostrador.waited_ms': Date.now() - row.created_at.getTime(),
    }),
  });
  return inSpan(tracing, span, () => wake(temporal, row));
}

function wake(temporal: TemporalStarter, row: OutboxRow): Promise<void> {
  // A check constraint of the table guarantees these two.
  const { entity_id: entityId, signal } = row as OutboxRow & { entity_id: string; signal: string };
  const input = { storeId: row.store_id, entityId, leadId: row.lead_id };
  return temporal.signalWithStart(row.topic as EntityWorkflowName, input, signal);
}
