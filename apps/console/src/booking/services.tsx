import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import type { Service } from '../calendar/booking.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { minutesText } from '../settings/choices.ts';
import { Section } from '../settings/section.tsx';
import styles from '../settings/settings.module.css';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import rows from '../ui/rows.module.css';
import { say } from '../ui/toasts.tsx';
import { bookingChanged } from './changed.ts';
import { ServiceDialog } from './service-form.tsx';

type ServicesProps = {
  readonly services: readonly Service[];
  readonly sellers: readonly Seller[];
  readonly mayChange: boolean;
};

/** What customers book. */
export function Services({ services, sellers, mayChange }: ServicesProps) {
  const [creating, setCreating] = useState(false);
  return (
    <Section title={m.booking_services()} about={m.booking_services_about()}>
      {services.length === 0 && <p className={styles.soft}>{m.booking_services_none()}</p>}
      {services.length > 0 && (
        <ul className={rows.rows}>
          {services.map((service) => (
            <ServiceRow key={service.id} {...{ service, sellers, mayChange }} />
          ))}
        </ul>
      )}
      {mayChange && (
        <Button className={styles.add} onClick={() => setCreating(true)}>
          <Plus size={14} aria-hidden />
          {m.booking_service_create()}
        </Button>
      )}
      <ServiceDialog sellers={sellers} open={creating} onClose={() => setCreating(false)} />
    </Section>
  );
}

type ServiceRowProps = Omit<ServicesProps, 'services'> & { readonly service: Service };

function ServiceRow({ service, sellers, mayChange }: ServiceRowProps) {
  const { id, name, duration_minutes, price_text, seller_ids, is_active } = service;
  const [asks, setAsks] = useState<'edit' | 'delete'>();
  const question = (which: 'edit' | 'delete') => ({ open: asks === which, onClose: () => setAsks(undefined) });
  const people = sellers.filter((seller) => seller_ids.includes(seller.id)).map((seller) => seller.name);
  const about = [minutesText(getLocale(), duration_minutes), price_text, ...people].filter(Boolean).join(' · ');
  const remove = async () => {
    await dataOf(platform.DELETE('/services/{serviceId}', { params: { path: { serviceId: id } } }));
    await bookingChanged();
    say(m.booking_service_deleted({ name }));
  };
  return (
    <li className={rows.row}>
      <div className={rows.words}>
        <strong dir="auto">{name}</strong> {!is_active && <Badge>{m.booking_service_inactive()}</Badge>}
        <p className={styles.soft}>{about}</p>
      </div>
      {mayChange && (
        <>
          <Button kind="bare" aria-label={m.booking_edit({ name })} onClick={() => setAsks('edit')}>
            <Pencil size={14} aria-hidden />
          </Button>
          <Button kind="bare" aria-label={m.booking_delete({ name })} onClick={() => setAsks('delete')}>
            <Trash2 size={14} aria-hidden />
          </Button>
        </>
      )}
      <ServiceDialog service={service} sellers={sellers} {...question('edit')} />
      <Confirm
        {...question('delete')}
        title={m.booking_service_delete_title({ name })}
        about={m.booking_service_delete_text()}
        action={m.booking_service_delete()}
        act={remove}
      />
    </li>
  );
}
