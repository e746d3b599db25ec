import type { SignalOf } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/delivery/outbox';

/** The outbox entry that wakes the workflow of an endpoint. */
export const wakeEndpoint = (endpointId: string, signal: SignalOf<'webhook'>): OutboxEntry => ({
  kind: 'workflow',
  workflow: 'webhook',
  entityId: endpointId,
  signal,
});
