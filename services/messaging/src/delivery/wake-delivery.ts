import type { SignalOf } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/delivery/outbox';

/** The wake-up of a lead's delivery workflow. */
export const wakeDelivery = (leadId: string, signal: SignalOf<'delivery'>): OutboxEntry => ({
  kind: 'workflow',
  workflow: 'delivery',
  entityId: leadId,
  leadId,
  signal,
});
