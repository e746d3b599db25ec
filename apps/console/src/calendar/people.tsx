import { m } from '../paraglide/messages.js';
import type { Appointment } from './appointment-queries.ts';
import { type Booking, bookable, colourOf } from './booking.ts';
import styles from './people.module.css';

/** What an appointment is, in names. */
export type Named = {
  readonly customer?: string | undefined;
  /** Only when the title does not say it. */
  readonly service?: string | undefined;
  readonly person?: string | undefined;
  /** Of the person, 1 to 6. */
  readonly colour?: number | undefined;
};

export function namedOf(
  { lead_id, service_id, seller_id, title }: Appointment,
  booking: Booking | null | undefined,
  names: ReadonlyMap<string, string>,
): Named {
  const service = booking?.services.find(({ id }) => id === service_id)?.name;
  const seller = booking?.sellers.find(({ id }) => id === seller_id);
  return {
    customer: lead_id === null ? undefined : names.get(lead_id),
    service: service === title ? undefined : service,
    ...(booking && seller && { person: seller.name, colour: colourOf(booking, seller.id) }),
  };
}

/** The colour of a seller. The name stands beside it. */
export const Dot = ({ colour }: { colour: number }) => <span className={styles.dot} data-person={colour} aria-hidden />;

/** Which colour is whose. */
export const Legend = ({ booking }: { booking: Booking }) => (
  <ul className={styles.legend} aria-label={m.calendar_people()}>
    {bookable(booking).map(({ id, name }) => (
      <li key={id}>
        <Dot colour={colourOf(booking, id)} />
        <bdi>{name}</bdi>
      </li>
    ))}
  </ul>
);
