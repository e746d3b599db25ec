import { useQuery } from '@tanstack/react-query';
import type { Lead } from '../api/platform.ts';
import { storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Drawer } from '../ui/drawer.tsx';
import { nextHour } from '../ui/zone.ts';
import { AppointmentForm } from './appointment-form.tsx';

type BookLeadProps = { readonly lead: Lead; readonly open: boolean; readonly onClose: () => void };

/** A new appointment of a lead. */
export function BookLead({ lead, open, onClose }: BookLeadProps) {
  const timeZone = useQuery(storeQuery).data?.timezone;
  return (
    <Drawer open={open} onClose={onClose} title={m.calendar_new()} about={lead.name} keep>
      {timeZone && <AppointmentForm {...{ timeZone, lead, onClose }} start={nextHour(timeZone)} />}
    </Drawer>
  );
}
