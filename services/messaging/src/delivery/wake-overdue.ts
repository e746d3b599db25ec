import type { SignalOf } from '@mostrador/contracts';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { countOverdueLeads, longestOverdueQueue, type OverdueLead, takeOverdueLeads } from './watch.repository.ts';

/** The wake-up of a lead's delivery workflow. */
export const wakeDelivery = (leadId: string, signal: SignalOf<'delivery'>): OutboxEntry =>
  wakeWorkflow('delivery', leadId, signal, leadId);

/** Leads whose queue is due, but no step has handled it. */
export const overdueDeliveries: OverdueRows<OverdueLead> = {
  name: 'deliveries',
  take: takeOverdueLeads,
  count: countOverdueLeads,
  longest: longestOverdueQueue,
  wakeUpOf: ({ lead_id }) => wakeDelivery(lead_id, 'overdue'),
};
