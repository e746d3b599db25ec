import type { Seller } from '@mostrador/contracts';
import { hoursText } from '../booking/rules-text.ts';
import { record, shown } from '../terminal.ts';

/** When a seller can be booked. */
export const bookedText = ({ bookable = false, hours = null }: Seller): string =>
  bookable ? hoursText(hours, 'whenever the store is open') : 'never';

/** A seller as a person reads it. */
export const sellerRecord = (seller: Seller): string =>
  record({
    id: seller.id,
    name: shown(seller.name),
    whatsapp: seller.whatsapp_id,
    active: seller.is_active ? 'yes' : 'no',
    bookable: seller.bookable ? 'yes' : 'no',
    hours: hoursText(seller.hours ?? null, 'those of the store'),
  });
