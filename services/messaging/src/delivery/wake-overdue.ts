import { wakeOverdue } from '@mostrador/kit/delivery/overdue';
import type { Dependencies } from '../dependencies.ts';
import { wakeDelivery } from './wake-delivery.ts';
import { takeOverdueLeads } from './watch.repository.ts';

/** Wakes the workflows of leads whose messages nobody has looked at although their turn has come. */
export const sweepOverdue = (
  { systemDatabase, relay }: Pick<Dependencies, 'systemDatabase' | 'relay'>,
  signal: AbortSignal,
): Promise<number> =>
  wakeOverdue(
    { systemDatabase, relay, take: takeOverdueLeads, wakeUpOf: ({ lead_id }) => wakeDelivery(lead_id, 'overdue') },
    signal,
  );
