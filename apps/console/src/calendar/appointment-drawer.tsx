import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, CalendarCheck, CalendarX, Check, Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Versioned } from '../api/platform.ts';
import { sessionQuery } from '../api/queries.ts';
import { leadQuery } from '../leads/queries.ts';
import { m } from '../paraglide/messages.js';
import { actLater } from '../ui/act-later.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { Facts } from '../ui/facts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { comingTime, spanText } from '../ui/time.ts';
import styles from './appointment.module.css';
import { AppointmentForm } from './appointment-form.tsx';
import {
  type Appointment,
  type AppointmentStatus,
  appointmentQuery,
  changeAppointment,
  refresh,
  showChange,
  syncQuery,
} from './appointment-queries.ts';
import { kindOfAppointment, wordsOfAppointment, wordsOfSync } from './appointment-words.ts';

type DrawerProps = {
  readonly appointmentId: string | undefined;
  readonly timeZone: string;
  readonly onClose: () => void;
};

/** One appointment: what it is, whether it is in the calendar, and what can be done with it. */
export function AppointmentDrawer({ appointmentId, timeZone, onClose }: DrawerProps) {
  // Its content stays while it closes.
  const [last, setLast] = useState(appointmentId);
  if (appointmentId !== undefined && appointmentId !== last) setLast(appointmentId);
  const shown = appointmentId ?? last;
  const {
    data: version,
    error,
    refetch,
  } = useQuery({ ...appointmentQuery(shown ?? ''), enabled: shown !== undefined });
  const [editing, setEditing] = useState(false);
  const close = () => {
    setEditing(false);
    onClose();
  };
  return (
    <Drawer
      open={appointmentId !== undefined}
      onClose={close}
      title={version?.data.title ?? m.calendar_appointment()}
      about={version && spanText(version.data, timeZone)}
      keep={editing}
    >
      {version ? (
        editing ? (
          <AppointmentForm timeZone={timeZone} version={version} onClose={() => setEditing(false)} />
        ) : (
          <Shown version={version} onEdit={() => setEditing(true)} onClose={close} />
        )
      ) : error ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <Skeleton width="long" />
      )}
    </Drawer>
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
  readonly version: Versioned<Appointment>;
  readonly onEdit: () => void;
  readonly onClose: () => void;
};

function Shown({ version: { data: appointment }, onEdit, onClose }: ShownProps) {
  const { status, notes, lead_id } = appointment;
  const end = (next: Exclude<AppointmentStatus, 'scheduled'>) => {
    endAppointment(appointment, next);
    onClose();
  };
  return (
    <>
      <div className={styles.state}>
        <Badge kind={kindOfAppointment(status)}>{wordsOfAppointment(status)}</Badge>
      </div>
      {status === 'scheduled' && (
        <div className={styles.acts}>
          <Button onClick={onEdit}>
            <Pencil size={14} aria-hidden />
            {m.calendar_edit()}
          </Button>
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
        </div>
      )}
      <Facts
        facts={[
          lead_id !== null && [m.calendar_lead(), <LeadName key="lead" leadId={lead_id} />],
          notes !== null && [
            m.calendar_notes(),
            <bdi key="notes" className={styles.notes}>
              {notes}
            </bdi>,
          ],
        ]}
      />
      <Sync appointment={appointment} />
    </>
  );
}

/** The lead's name, or that a seller may not see it. */
function LeadName({ leadId }: { leadId: string }) {
  const { data: version, error } = useQuery({ ...leadQuery(leadId), staleTime: 300_000 });
  if (error) return <span className={styles.soft}>{m.calendar_lead_hidden()}</span>;
  if (!version) return <Skeleton width="short" />;
  const { name } = version.data;
  return (
    <Link to="/leads/$leadId" params={{ leadId }} className={styles.lead}>
      <bdi>{name}</bdi>
    </Link>
  );
}

function Sync({ appointment: { id, status } }: { appointment: Appointment }) {
  const { data: sync } = useQuery(syncQuery(id));
  const { data: session } = useQuery(sessionQuery);
  if (!sync) return null;
  const { state, kind, why, next } = wordsOfSync(sync);
  // A cancelled appointment does not belong into a calendar that is not there.
  if (status !== 'scheduled' && sync.state === 'not_connected') return null;
  const isLate = sync.state === 'pending' && kind === 'warn';
  const canLook =
    session?.role !== 'seller' && (isLate || sync.state === 'not_connected' || sync.state === 'needs_attention');
  return (
    <section className={styles.sync} data-kind={kind} aria-label={m.calendar_sync()}>
      <p className={styles.syncState}>
        <CalendarCheck size={14} aria-hidden />
        {state}
      </p>
      {why && <p>{why}</p>}
      {next && <p>{next}</p>}
      {isLate && sync.next_attempt_at && (
        <p>{m.calendar_sync_next_attempt({ when: comingTime(sync.next_attempt_at, Date.now()) })}</p>
      )}
      {canLook && <Link to="/integrations/connections">{m.calendar_connections()}</Link>}
    </section>
  );
}

/** The same in a word or two, for lists: only what is not as it should be. */
export function SyncBadge({ appointmentId }: { appointmentId: string }) {
  const { data: sync } = useQuery({ ...syncQuery(appointmentId), staleTime: 60_000 });
  if (!sync || sync.state === 'not_connected') return null;
  const { state, kind, why } = wordsOfSync(sync);
  if (kind !== 'warn' && kind !== 'bad') return null;
  return (
    <Badge kind={kind} title={why}>
      {state}
    </Badge>
  );
}
