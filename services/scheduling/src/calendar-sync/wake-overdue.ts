import { wakeOverdue } from '@mostrador/kit/delivery/overdue';
import { wakeAppointment } from '../appointments/wake-appointment.ts';
import type { Dependencies } from '../dependencies.ts';
import { takeOverdueSyncs } from './sync.repository.ts';

/** Wakes the workflows of syncs that nobody has looked at although their time has come. */
export const sweepOverdue = (
  { systemDatabase, relay }: Pick<Dependencies, 'systemDatabase' | 'relay'>,
  signal: AbortSignal,
): Promise<number> =>
  wakeOverdue(
    { systemDatabase, relay, take: takeOverdueSyncs, wakeUpOf: (row) => wakeAppointment(row, 'overdue') },
    signal,
  );
