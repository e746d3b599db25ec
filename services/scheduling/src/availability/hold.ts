import type { Hold } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { BookingRow } from '../booking/booking.repository.ts';

/** A hold as the API shows it. */
export const toHold = (row: BookingRow): Hold => ({
  id: row.id,
  start: toTimestamp(row.scheduled_at),
  duration_minutes: row.duration_minutes,
  seller_id: row.seller_id,
  service_id: row.service_id,
  expires_at: toTimestamp(row.expires_at as Date),
});
