import type { ValidationFault } from '@mostrador/contracts';
import type { BookingRow } from './booking.repository.ts';

type Held = Pick<BookingRow, 'scheduled_at' | 'duration_minutes' | 'seller_id' | 'service_id'>;

/** A booking that uses a hold. */
type Wished = Omit<Held, 'seller_id'> & {
  readonly choice: { readonly sellers: readonly { readonly id: string }[]; readonly isNamed: boolean };
};

/**
 * Where a booking differs from the hold that it uses. A hold without a service is one for any service that takes the same
 * place.
 */
export function holdFaults(hold: Held, wish: Wished): ValidationFault[] {
  const { sellers, isNamed } = wish.choice;
  const faults: ValidationFault[] = [];
  if (wish.scheduled_at.getTime() !== hold.scheduled_at.getTime()) {
    const start = hold.scheduled_at.toISOString();
    faults.push({ pointer: '#/scheduled_at', detail: `must be ${start}, the start of the hold` });
  }
  if (wish.duration_minutes !== hold.duration_minutes) {
    const detail = `must be ${hold.duration_minutes}, the duration of the hold`;
    faults.push({ pointer: '#/duration_minutes', detail });
  }
  if (hold.service_id && wish.service_id?.toLowerCase() !== hold.service_id) {
    faults.push({ pointer: '#/service_id', detail: `must be ${hold.service_id}, the service of the hold` });
  }
  if (hold.seller_id) {
    if (!isNamed || sellers[0]?.id !== hold.seller_id)
      faults.push({ pointer: '#/seller_id', detail: `must be ${hold.seller_id}, the seller of the hold` });
  } else if (isNamed) {
    faults.push({ pointer: '#/seller_id', detail: 'must be null, because the hold has no seller' });
  } else if (sellers.length > 0 && !hold.service_id) {
    const detail = 'has sellers, but the hold has none: make the hold for this service';
    faults.push({ pointer: '#/service_id', detail });
  }
  return faults;
}
