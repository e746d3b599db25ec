import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarCheck } from 'lucide-react';
import { sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { comingTime } from '../ui/time.ts';
import styles from './appointment.module.css';
import { type Appointment, syncQuery } from './appointment-queries.ts';
import { wordsOfSync } from './appointment-words.ts';

/** Whether it is in the connected calendar, and what to do when it is not. */
export function Sync({ appointment: { id, status } }: { appointment: Appointment }) {
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
