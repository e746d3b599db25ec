import { type FollowupStatus, followupStatuses, type listFollowups, type RequestOf } from '@mostrador/contracts';
import { type ListFilters, filtersOf as sharedFiltersOf } from '../list-filters.ts';

export type FollowupFilters = ListFilters<FollowupStatus> & { readonly appointment_id?: string };

export function filtersOf(query: RequestOf<typeof listFollowups>['query']): FollowupFilters {
  const { appointment_id } = query;
  return {
    ...sharedFiltersOf(query, followupStatuses),
    ...(appointment_id ? { appointment_id: appointment_id.toLowerCase() } : {}),
  };
}
