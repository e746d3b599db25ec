import { CalendarDays } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { dayText, timesText } from '../ui/time.ts';
import { wallTime } from '../ui/zone.ts';
import styles from './agenda.module.css';
import { SyncBadge } from './appointment-drawer.tsx';
import type { Appointment } from './appointment-queries.ts';
import { kindOfAppointment, wordsOfAppointment } from './appointment-words.ts';

type AgendaProps = {
  readonly appointments: readonly Appointment[] | undefined;
  readonly timeZone: string;
  readonly onOpen: (appointmentId: string) => void;
};

/** Two weeks of appointments as a list: for small screens, keyboards and screen readers. */
export function Agenda({ appointments, timeZone, onOpen }: AgendaProps) {
  if (!appointments) return <Skeleton width="long" />;
  if (appointments.length === 0) {
    return <Empty icon={CalendarDays} title={m.calendar_empty()} text={m.calendar_empty_text()} />;
  }
  const days = Map.groupBy(appointments, ({ scheduled_at }) => wallTime(scheduled_at, timeZone).slice(0, 10));
  return (
    <div className={styles.agenda}>
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h3 id={`day-${day}`} className={styles.day}>
            {dayText(day)}
          </h3>
          <ul>
            {ofDay.map((appointment) => (
              <li key={appointment.id} className={styles.row} data-status={appointment.status}>
                <span className={styles.times}>{timesText(appointment, timeZone)}</span>
                <button type="button" className={styles.title} onClick={() => onOpen(appointment.id)}>
                  <bdi>{appointment.title}</bdi>
                </button>
                <span className={styles.badges}>
                  {appointment.status === 'scheduled' ? (
                    <SyncBadge appointmentId={appointment.id} />
                  ) : (
                    <Badge kind={kindOfAppointment(appointment.status)}>{wordsOfAppointment(appointment.status)}</Badge>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
