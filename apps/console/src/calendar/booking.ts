import type { Seller } from '../api/platform.ts';
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

/** The sellers who can be booked now, in the order of their creation. */
export const bookable = ({ sellers }: Booking): Seller[] =>
  sellers.filter((seller) => seller.bookable === true && seller.is_active);

const colours = 6;

/** The colour of a seller, 1 to 6: `--person-1`. It stays when another seller is added. */
export function colourOf({ sellers }: Booking, sellerId: string): number {
  const place = sellers.findIndex(({ id }) => id === sellerId);
  return (Math.max(0, place) % colours) + 1;
}
