import { queryOptions, useQuery } from '@tanstack/react-query';
import { Failure } from '../api/failure.ts';
import { allOf, pageOf } from '../api/pages.ts';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import { sellersQuery } from '../api/queries.ts';
import type { components } from '../generated/platform.ts';

type Schemas = components['schemas'];
export type BookingRules = Schemas['BookingRules'];
export type Service = Schemas['Service'];

/** How the store books: its rules, what is booked, and who. */
export type Booking = {
  readonly rules: BookingRules;
  readonly services: readonly Service[];
  readonly sellers: readonly Seller[];
};

/** Null: the store has no booking rules. */
const rulesQuery = queryOptions({
  queryKey: ['booking', 'rules'],
  queryFn: () =>
    dataOf(platform.GET('/booking/rules')).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'booking_rules_not_found') return null;
      throw error;
    }),
  staleTime: 60_000,
});

const servicesQuery = queryOptions({
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
    return { rules: rules.data, services: services.data, sellers: sellers.data };
  }
  return rules.data === null || [rules, services, sellers].some(({ isError }) => isError) ? null : undefined;
}

/** The sellers who can be booked now, in the order of their creation. */
export const bookable = ({ sellers }: Booking): Seller[] =>
  sellers.filter((seller) => seller.bookable === true && seller.is_active);

const colours = 6;

/** The colour of a seller, 1 to 6: `--person-1`. It stays when another seller is added. */
export const colourOf = ({ sellers }: Booking, sellerId: string): number =>
  (Math.max(
    0,
    sellers.findIndex(({ id }) => id === sellerId),
  ) %
    colours) +
  1;
