import type { OverdueRows } from '@mostrador/kit/delivery/overdue';
import { wakeDelivery } from './wake-delivery.ts';
import { type OverdueLead, takeOverdueLeads } from './watch.repository.ts';

/** Leads whose queue is due, but no step has handled it. */
export const overdueDeliveries: OverdueRows<OverdueLead> = {
  name: 'deliveries',
  take: takeOverdueLeads,
  wakeUpOf: ({ lead_id }) => wakeDelivery(lead_id, 'overdue'),
};
