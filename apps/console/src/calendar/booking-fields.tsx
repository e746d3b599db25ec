import { m } from '../paraglide/messages.js';
import { type Choice, SelectField } from '../ui/field.tsx';
import { type Booking, bookable, type Service } from './booking.ts';

type BookingFieldsProps = {
  readonly booking: Booking;
  readonly serviceId: string | null;
  readonly sellerId: string | null;
  readonly onService: (service: Service | null) => void;
  readonly onSeller: (sellerId: string | null) => void;
};

/** What is booked, and with whom. What can no longer be booked stays a choice while it is chosen. */
export function BookingFields({ booking, serviceId, sellerId, onService, onSeller }: BookingFieldsProps) {
  const services = booking.services.filter(({ id, is_active }) => is_active || id === serviceId);
  const service = booking.services.find(({ id }) => id === serviceId);
  const people = peopleOf(booking, service ?? null);
  const chosen = booking.sellers.find(({ id }) => id === sellerId);
  const shown = chosen && !people.includes(chosen) ? [...people, chosen] : people;
  const nameOf = ({ id, name }: { id: string; name: string }): Choice => [id, name];
  return (
    <>
      {services.length > 0 && (
        <SelectField
          name="service"
          label={m.calendar_service()}
          value={serviceId ?? ''}
          choices={[['', m.calendar_service_none()], ...services.map(nameOf)]}
          onChange={({ target }) => onService(services.find(({ id }) => id === target.value) ?? null)}
        />
      )}
      {shown.length > 0 && (
        <SelectField
          name="person"
          label={m.calendar_person()}
          value={sellerId ?? ''}
          choices={[['', hasOwn(service) ? m.calendar_first_free() : m.calendar_store_places()], ...shown.map(nameOf)]}
          onChange={({ target }) => onSeller(target.value || null)}
        />
      )}
    </>
  );
}

const hasOwn = (service: Service | undefined | null): boolean => (service?.seller_ids.length ?? 0) > 0;

/** Who can be booked for a service. */
export const peopleOf = (booking: Booking, service: Service | null) =>
  bookable(booking).filter(({ id }) => !service || !hasOwn(service) || service.seller_ids.includes(id));
