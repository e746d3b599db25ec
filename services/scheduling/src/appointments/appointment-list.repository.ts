import { appointmentStatuses } from '@mostrador/contracts';
import { createTimeList } from '../time-list.repository.ts';
import type { AppointmentRow } from './appointment.ts';
import type { AppointmentFilters } from './appointment-list.ts';

export const appointmentList = createTimeList<AppointmentRow, 'scheduled_at', AppointmentFilters>({
  table: 'appointments',
  column: 'scheduled_at',
  statuses: appointmentStatuses,
  isOfOne: ({ lead_id }) => lead_id !== undefined,
  own: (sql, { from, overlap }) => {
    if (!from) return sql``;
    if (!overlap) return sql`and scheduled_at >= ${from}`;
    // An appointment lasts a day at most, so the index finds those that may end after the moment.
    return sql`
      and scheduled_at > ${from}::timestamptz - interval '24 hours'
      and scheduled_at + duration_minutes * interval '1 minute' > ${from}`;
  },
});
