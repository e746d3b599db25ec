import type { SignalOf } from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/delivery/outbox';
import type { Named } from './followup.ts';

/** The outbox entry that wakes the workflow of a follow-up. */
export const wakeFollowup = ({ id, lead_id }: Named, signal: SignalOf<'followup'>): OutboxEntry => ({
  kind: 'workflow',
  workflow: 'followup',
  entityId: id,
  leadId: lead_id,
  signal,
});
