import type { Span } from '@mostrador/hours/local-days';
import { CalendarDays, Check } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { dayText, timesText } from '../ui/time.ts';
import styles from './agenda.module.css';
import type { Appointment } from './appointment-queries.ts';
import { SyncBadge } from './appointment-sync.tsx';
import { kindOfAppointment, wordsOfAppointment } from './appointment-words.ts';
import { busyText } from './busy-days.ts';
import { Dot, type Named } from './people.tsx';
import { byDay, spanOf } from './spans.ts';

type AgendaProps = {
  readonly appointments: readonly Appointment[] | undefined;
  /** When the connected calendar takes time. */
  readonly busy: readonly Span[];
  /** Those of the view, the last one not included. */
  readonly days: { readonly from: string; readonly to: string };
  readonly timeZone: string;
  readonly nameOf: (appointment: Appointment) => Named;
  readonly onOpen: (appointmentId: string) => void;
};

const spanOfItem = (item: Appointment | Span): Span => ('id' in item ? spanOf(item) : item);

/** Two weeks of appointments as a list: for small screens, keyboards and screen readers. */
export function Agenda({ appointments, busy, days, timeZone, nameOf, onOpen }: AgendaProps) {
  if (!appointments) return <Skeleton width="long" />;
  if (appointments.length === 0 && busy.length === 0) {
    return <Empty icon={CalendarDays} title={m.calendar_empty()} text={m.calendar_empty_text()} />;
  }
  const items = [...appointments, ...busy].sort((one, other) => spanOfItem(one).start - spanOfItem(other).start);
  return (
    <div className={styles.agenda}>
      {[...byDay(items, spanOfItem, days, timeZone)].map(([day, ofDay]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h3 id={`day-${day}`} className={styles.day}>
            {dayText(day)}
          </h3>
          <ul>
            {ofDay.map((item) =>
              'id' in item ? (
                <Row
                  key={item.id}
                  {...{ appointment: item, timeZone }}
                  named={nameOf(item)}
                  onOpen={() => onOpen(item.id)}
                />
              ) : (
                <BusyRow key={item.start} {...{ busy: item, day, timeZone }} />
              ),
            )}
          </ul>
        </section>
      ))}
    </div>
  );
}

type RowProps = {
  readonly appointment: Appointment;
  readonly named: Named;
  readonly timeZone: string;
  readonly onOpen: () => void;
};

function Row({ appointment, named: { customer, service, person, colour }, timeZone, onOpen }: RowProps) {
  const { id, title, status, confirmed_at } = appointment;
  const more = [service, person].filter(Boolean).join(' · ');
  return (
    <li className={styles.row} data-status={status}>
      <span className={styles.times}>{timesText(appointment, timeZone)}</span>
      <span className={styles.words}>
        <button type="button" className={styles.title} data-appointment={id} onClick={onOpen}>
          <bdi>{customer ?? title}</bdi>
          {customer && <bdi className={styles.what}> {title}</bdi>}
        </button>
        {more && (
          <span className={styles.more}>
            {colour && <Dot colour={colour} />}
            <bdi>{more}</bdi>
          </span>
        )}
      </span>
      <span className={styles.badges}>
        {status === 'scheduled' ? (
          <>
            {confirmed_at && <Badge icon={<Check size={12} aria-hidden />}>{m.calendar_confirmed()}</Badge>}
            <SyncBadge appointmentId={id} />
          </>
        ) : (
          <Badge kind={status === 'done' ? undefined : kindOfAppointment(status)}>{wordsOfAppointment(status)}</Badge>
        )}
      </span>
    </li>
  );
}

/** The part that lies on the day. */
const BusyRow = ({ busy, day, timeZone }: { busy: Span; day: string; timeZone: string }) => (
  <li className={styles.row} data-status="busy">
    <span className={styles.times}>{busyText(busy, day, timeZone)}</span>
    <span className={styles.words}>{m.calendar_busy()}</span>
  </li>
);
