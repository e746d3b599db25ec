import type { OverdueRows } from '@mostrador/kit/delivery/overdue';
import { wakeAppointment } from '../appointments/wake-appointment.ts';
import { type OverdueSync, takeOverdueSyncs } from './sync.repository.ts';

/** Calendar syncs that no step has looked at although their time has come. */
export const overdueSyncs: OverdueRows<OverdueSync> = {
  name: 'calendar syncs',
  take: takeOverdueSyncs,
  wakeUpOf: (row) => wakeAppointment(row, 'overdue'),
};
