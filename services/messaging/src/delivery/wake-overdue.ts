import { deliveryShardId, deliveryShardOf, type SignalOf } from '@mostrador/contracts';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { countOverdueLeads, longestOverdueQueue, type OverdueLead, takeOverdueLeads } from './watch.repository.ts';

/**
 * The wake-up of the workflow that sends the store's messages. While the shard is open it changes nothing, so publish a
 * notice after the commit, too.
 */
export const wakeDelivery = (storeId: string, signal: SignalOf<'deliveryShard'>): OutboxEntry =>
  wakeWorkflow('deliveryShard', deliveryShardId(deliveryShardOf(storeId)), signal);

/** Leads whose queue is due, but no step has handled it. */
export const overdueDeliveries: OverdueRows<OverdueLead> = {
  name: 'deliveries',
  take: takeOverdueLeads,
  count: countOverdueLeads,
  longest: longestOverdueQueue,
  wakeUpOf: ({ store_id }) => wakeDelivery(store_id, 'overdue'),
};
