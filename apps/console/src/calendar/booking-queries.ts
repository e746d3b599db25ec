import { queryOptions, useQuery } from '@tanstack/react-query';
import { Failure } from '../api/failure.ts';
import { allOf, pageOf } from '../api/pages.ts';
import { platform, versionedOf } from '../api/platform.ts';
import { sellersQuery } from '../api/queries.ts';
import type { Booking } from './booking.ts';

/** Null: the store has no booking rules. */
export const rulesQuery = queryOptions({
  queryKey: ['booking', 'rules'],
  queryFn: () =>
    versionedOf(platform.GET('/booking/rules')).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'booking_rules_not_found') return null;
      throw error;
    }),
  staleTime: 60_000,
});

export const servicesQuery = queryOptions({
  queryKey: ['booking', 'services'],
  queryFn: () => allOf((cursor) => pageOf(platform.GET('/services', { params: { query: { limit: 200, cursor } } }))),
  staleTime: 60_000,
});

/** Null: the store has no booking rules, or they cannot be read. Undefined: they are not known yet. */
export function useBooking(): Booking | null | undefined {
  const rules = useQuery(rulesQuery);
  const services = useQuery({ ...servicesQuery, enabled: Boolean(rules.data) });
  const sellers = useQuery({ ...sellersQuery, enabled: Boolean(rules.data) });
  if (rules.data && services.data && sellers.data) {
    return { rules: rules.data.data, services: services.data, sellers: sellers.data };
  }
  return rules.data === null || [rules, services, sellers].some(({ isError }) => isError) ? null : undefined;
}
