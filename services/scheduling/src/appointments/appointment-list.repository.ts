import { appointmentStatuses } from '@mostrador/contracts';
import { createTimeList } from '../time-list.repository.ts';
import type { AppointmentRow } from './appointment.ts';
import type { AppointmentFilters } from './appointment-list.ts';

export const appointmentList = createTimeList<AppointmentRow, 'scheduled_at', AppointmentFilters>({
  table: 'appointments',
  column: 'scheduled_at',
  statuses: appointmentStatuses,
  isOfOne: ({ lead_id, seller_id, service_id }) =>
    lead_id !== undefined || typeof seller_id === 'string' || service_id !== undefined,
  own: (sql, { from, overlap, seller_id, service_id, confirmed }) => sql`
    ${seller_id ? sql`and seller_id = ${seller_id}` : seller_id === null ? sql`and seller_id is null` : sql``}
    ${service_id ? sql`and service_id = ${service_id}` : sql``}
    ${confirmed === undefined ? sql`` : confirmed ? sql`and confirmed_at is not null` : sql`and confirmed_at is null`}
    ${from && !overlap ? sql`and scheduled_at >= ${from}` : sql``}
    ${
      // An appointment lasts a day at most, so the index finds those that may end after the moment.
      from && overlap
        ? sql`
      and scheduled_at > ${from}::timestamptz - interval '24 hours'
      and scheduled_at + duration_minutes * interval '1 minute' > ${from}`
        : sql``
    }`,
});
