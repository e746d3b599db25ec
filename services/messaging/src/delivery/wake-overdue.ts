import { deliveryShardId, deliveryShardOf, type SignalOf } from '@mostrador/contracts';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { countOverdueLeads, longestOverdueQueue, type OverdueShard, takeOverdueShards } from './watch.repository.ts';

/**
 * The wake-up of the workflow that sends the store's messages. While the shard is open it changes nothing, so publish a
 * notice after the commit, too.
 */
export const wakeDelivery = (storeId: string, signal: SignalOf<'deliveryShard'>): OutboxEntry =>
  wakeWorkflow('deliveryShard', deliveryShardId(deliveryShardOf(storeId)), signal);

/** Shards with a queue that is due, but no step has handled it. Each such queue is counted. */
export const overdueDeliveries: OverdueRows<OverdueShard> = {
  name: 'deliveries',
  take: takeOverdueShards,
  count: countOverdueLeads,
  longest: longestOverdueQueue,
  wakeUpOf: ({ store_id }) => wakeDelivery(store_id, 'overdue'),
};
