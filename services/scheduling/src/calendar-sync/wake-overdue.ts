import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { wakeAppointment } from '../appointments/appointment.ts';
import { type OverdueSync, overdueSyncRows } from './sync.repository.ts';

/** Calendar syncs that no step has handled although their next attempt is overdue. */
export const overdueSyncs: OverdueRows<OverdueSync> = {
  name: 'calendar syncs',
  ...overdueSyncRows,
  wakeUpOf: (row) => wakeAppointment(row, 'overdue'),
};
