import { appointmentStatuses, type listAppointments, noSeller, type RequestOf } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { type ListFilters, filtersOf as sharedFiltersOf } from '../list-filters.ts';
import type { AppointmentRow } from './appointment.ts';

export type AppointmentFilters = ListFilters<AppointmentRow['status']> & {
  /** Not those that begin at `from` or later, but those that end after it. */
  readonly overlap?: true;
  /** Null: those without a seller. */
  readonly seller_id?: string | null;
  readonly service_id?: string;
  readonly confirmed?: boolean;
};

/** @throws AppError `validation_failed` for `overlap` without a range */
export function filtersOf(query: RequestOf<typeof listAppointments>['query']): AppointmentFilters {
  const { from, to, overlap, seller_id, service_id, confirmed } = query;
  if (overlap && from === undefined && to === undefined) {
    throw validationFailed([{ in: 'query', name: 'overlap', detail: 'needs `from`, `to` or both' }]);
  }
  return {
    ...sharedFiltersOf(query, appointmentStatuses),
    ...(overlap && from ? { overlap } : {}),
    ...(seller_id ? { seller_id: seller_id === noSeller ? null : seller_id.toLowerCase() } : {}),
    ...(service_id ? { service_id: service_id.toLowerCase() } : {}),
    ...(confirmed === undefined ? {} : { confirmed }),
  };
}
