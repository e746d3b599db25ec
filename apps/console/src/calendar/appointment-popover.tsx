import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, CalendarX, Check, MessageSquare, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import type { Lead } from '../api/platform.ts';
import { leadQuery } from '../leads/queries.ts';
import { m } from '../paraglide/messages.js';
import { actLater } from '../ui/act-later.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { Facts } from '../ui/facts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { fullTime, spanText } from '../ui/time.ts';
import styles from './appointment.module.css';
import { AppointmentForm } from './appointment-form.tsx';
import {
  type Appointment,
  type AppointmentStatus,
  appointmentQuery,
  changeAppointment,
  refresh,
  showChange,
} from './appointment-queries.ts';
import { Sync } from './appointment-sync.tsx';
import { kindOfAppointment, wordsOfAppointment } from './appointment-words.ts';
import { type Booking, colourOf } from './booking.ts';
import { Dot } from './people.tsx';
import { Reminders } from './reminders.tsx';

type PopoverProps = {
  readonly appointmentId: string | undefined;
  readonly timeZone: string;
  readonly booking: Booking | null | undefined;
  readonly onClose: () => void;
};

/** The appointment where it stands in the calendar. */
const eventOf = (appointmentId: string) => document.querySelector(`[data-appointment="${appointmentId}"]`);

/** Beside the appointment, wherever the calendar draws it now. One that it does not show stands in the middle. */
const anchorOf = (appointmentId: string) => ({
  getBoundingClientRect: () =>
    eventOf(appointmentId)?.getBoundingClientRect() ?? new DOMRect(innerWidth / 2, innerHeight / 4, 0, 0),
});

/** One appointment: what it is, whether it is in the calendar, and what can be done with it. It is edited in a drawer. */
export function AppointmentPopover({ appointmentId, timeZone, booking, onClose }: PopoverProps) {
  // Its content stays while it closes.
  const [last, setLast] = useState(appointmentId);
  if (appointmentId !== undefined && appointmentId !== last) setLast(appointmentId);
  const shown = appointmentId ?? last;
  const query = useQuery({ ...appointmentQuery(shown ?? ''), enabled: shown !== undefined });
  const { data: version, error, refetch } = query;
  const [editing, setEditing] = useState(false);
  // A form that was given up does not come back while its drawer closes.
  const [edits, setEdits] = useState(0);
  const edit = () => {
    setEdits(edits + 1);
    setEditing(true);
  };
  const close = () => {
    setEditing(false);
    onClose();
  };
  const isOpen = appointmentId !== undefined;
  const title = version?.data.title ?? m.calendar_appointment();
  return (
    <>
      <Popover.Root modal open={isOpen && !editing} onOpenChange={(next) => next || close()}>
        <Popover.Portal>
          <Popover.Backdrop className={styles.beside} />
          <Popover.Positioner
            className={styles.positioner}
            anchor={anchorOf(shown ?? '')}
            side="right"
            align="start"
            sideOffset={8}
            collisionPadding={16}
          >
            <Popover.Popup
              className={styles.popup}
              finalFocus={() => (editing ? false : (eventOf(shown ?? '') as HTMLElement | null))}
            >
              <div className={styles.head}>
                <Popover.Title className={styles.title}>
                  <bdi>{title}</bdi>
                </Popover.Title>
                <Popover.Close render={<Button kind="bare" />} aria-label={m.close()}>
                  <X size={16} aria-hidden />
                </Popover.Close>
              </div>
              {version ? (
                <Shown {...{ timeZone, booking }} appointment={version.data} onEdit={edit} onClose={close} />
              ) : error ? (
                <LoadFailed error={error} retry={refetch} />
              ) : (
                <Skeleton width="long" />
              )}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      <Drawer
        open={isOpen && editing}
        onClose={close}
        title={title}
        about={version && spanText(version.data, timeZone)}
        keep
      >
        {version && (
          <AppointmentForm key={edits} timeZone={timeZone} version={version} onClose={() => setEditing(false)} />
        )}
      </Drawer>
    </>
  );
}

const said: Readonly<Record<Exclude<AppointmentStatus, 'scheduled'>, () => string>> = {
  done: m.calendar_was_done,
  cancelled: m.calendar_was_cancelled,
  no_show: m.calendar_was_no_show,
};

/** Ends an appointment. That is final, so that it happens only after a moment to undo it. */
function endAppointment({ id }: Appointment, status: Exclude<AppointmentStatus, 'scheduled'>): void {
  showChange(id, { status });
  actLater({
    title: said[status](),
    act: () => changeAppointment(id, { status }),
    restore: () => {
      showChange(id, { status: 'scheduled' });
      void refresh(id);
    },
  });
}

type ShownProps = {
  readonly appointment: Appointment;
  readonly timeZone: string;
  readonly booking: Booking | null | undefined;
  readonly onEdit: () => void;
  readonly onClose: () => void;
};

function Shown({ appointment, timeZone, booking, onEdit, onClose }: ShownProps) {
  const { status, notes, lead_id, service_id, seller_id, confirmed_at } = appointment;
  const lead = useQuery({ ...leadQuery(lead_id ?? ''), enabled: lead_id !== null, staleTime: 300_000 });
  const service = booking?.services.find(({ id }) => id === service_id);
  const seller = booking?.sellers.find(({ id }) => id === seller_id);
  const end = (next: Exclude<AppointmentStatus, 'scheduled'>) => {
    endAppointment(appointment, next);
    onClose();
  };
  return (
    <>
      <Popover.Description className={styles.span}>{spanText(appointment, timeZone)}</Popover.Description>
      {status !== 'scheduled' && (
        <div className={styles.state}>
          <Badge kind={kindOfAppointment(status)}>{wordsOfAppointment(status)}</Badge>
        </div>
      )}
      <Facts
        facts={[
          lead_id !== null && [
            m.calendar_lead(),
            <LeadName key="lead" lead={lead.data?.data} isHidden={lead.isError} />,
          ],
          service !== undefined && [m.calendar_service(), <bdi key="service">{service.name}</bdi>],
          booking && seller
            ? [
                m.calendar_person(),
                <span key="person" className={styles.person}>
                  <Dot colour={colourOf(booking, seller.id)} />
                  <bdi>{seller.name}</bdi>
                </span>,
              ]
            : null,
          confirmed_at ? [m.calendar_confirmed(), fullTime(confirmed_at, timeZone)] : null,
          notes !== null && [
            m.calendar_notes(),
            <bdi key="notes" className={styles.notes}>
              {notes}
            </bdi>,
          ],
        ]}
      />
      <Reminders {...{ appointment, booking }} />
      <Sync appointment={appointment} />
      <div className={styles.acts}>
        {status === 'scheduled' && (
          <Button kind="main" onClick={onEdit}>
            <Pencil size={14} aria-hidden />
            {m.calendar_edit()}
          </Button>
        )}
        {lead_id !== null && lead.data && (
          <Link to="/inbox/$leadId" params={{ leadId: lead_id }} {...buttonLook('plain')}>
            <MessageSquare size={14} aria-hidden />
            {m.calendar_message()}
          </Link>
        )}
        {status === 'scheduled' && (
          <>
            <Button onClick={() => end('done')}>
              <Check size={14} aria-hidden />
              {m.calendar_mark_done()}
            </Button>
            <Button onClick={() => end('no_show')}>
              <CalendarX size={14} aria-hidden />
              {m.calendar_mark_no_show()}
            </Button>
            <Button onClick={() => end('cancelled')}>
              <Ban size={14} aria-hidden />
              {m.calendar_cancel()}
            </Button>
          </>
        )}
      </div>
    </>
  );
}

/** The lead's name, or that a seller may not see it. */
function LeadName({ lead, isHidden }: { lead: Lead | undefined; isHidden: boolean }) {
  if (isHidden) return <span className={styles.soft}>{m.calendar_lead_hidden()}</span>;
  if (!lead) return <Skeleton width="short" />;
  return (
    <Link to="/leads/$leadId" params={{ leadId: lead.id }} className={styles.lead}>
      <bdi>{lead.name}</bdi>
    </Link>
  );
}
