import { type AppointmentSort, appointmentStatuses, type listAppointments, type RequestOf } from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';
import type { AppointmentRow } from './appointment.ts';

export type AppointmentFilters = {
  /** One of these; at least one. */
  readonly status?: readonly AppointmentRow['status'][];
  readonly lead_id?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  /** Not those that begin at `from` or later, but those that end after it. */
  readonly overlap?: true;
  /** This bound and the next one are exclusive. */
  readonly updated_after?: Date;
  readonly updated_before?: Date;
};

/** @throws AppError `validation_failed` for `overlap` without a range */
export function filtersOf(query: RequestOf<typeof listAppointments>['query']): AppointmentFilters {
  const { status, lead_id, from, to, overlap, updated_after } = query;
  if (overlap && from === undefined && to === undefined) {
    throw validationFailed([{ in: 'query', name: 'overlap', detail: 'needs `from`, `to` or both' }]);
  }
  const statuses = valuesOf(status) as Set<AppointmentRow['status']>;
  return {
    ...(statuses.size > 0 && statuses.size < appointmentStatuses.length ? { status: [...statuses] } : {}),
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(from ? { from: toInstant(from) } : {}),
    ...(to ? { to: toInstant(to) } : {}),
    ...(overlap && from ? { overlap } : {}),
    ...(updated_after ? { updated_after: toInstant(updated_after) } : {}),
  };
}

/**
 * The rows of the list whose total is what these filters show, before `updated_before` leaves some out. Undefined when a
 * filter asks for more than a status.
 */
export function rowsOf({
  status,
  updated_before: _,
  ...others
}: AppointmentFilters): ListRows<'appointments'> | undefined {
  if (Object.keys(others).length > 0) return undefined;
  return { list: 'appointments', ...(status ? { statuses: status } : {}) };
}

/** What a cursor is bound to. A query of an earlier version has the same form, so that its cursors stay good. */
export const bindingOf = (
  { status, lead_id, from, to, overlap, updated_after }: AppointmentFilters,
  sort: AppointmentSort,
): object => ({
  status: status?.join(),
  lead_id,
  from: from && toTimestamp(from),
  to: to && toTimestamp(to),
  overlap,
  updated_after: updated_after && toTimestamp(updated_after),
  sort: sort === 'scheduled_at' ? undefined : sort,
});

/**
 * The filters that a page by `updated_at` after this moment still needs. With two lower bounds on one column, PostgreSQL
 * would begin at the first and read on to the second.
 */
export function filtersBeyond(filters: AppointmentFilters, at: Date): AppointmentFilters {
  const { updated_after, ...others } = filters;
  return updated_after !== undefined && updated_after > at ? filters : others;
}
