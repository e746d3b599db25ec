import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { wakeAppointment } from '../appointments/appointment.ts';
import { countOverdueSyncs, longestOverdueSync, type OverdueSync, takeOverdueSyncs } from './sync.repository.ts';

/** Calendar syncs that no step has handled although their next attempt is overdue. */
export const overdueSyncs: OverdueRows<OverdueSync> = {
  name: 'calendar syncs',
  take: takeOverdueSyncs,
  count: countOverdueSyncs,
  longest: longestOverdueSync,
  wakeUpOf: (row) => wakeAppointment(row, 'overdue'),
};
