import FullCalendar, { type CalendarRef, type EventDisplayInfo, type FormatterInput } from '@fullcalendar/react';
import dayGrid from '@fullcalendar/react/daygrid';
import es from '@fullcalendar/react/locales/es';
import pt from '@fullcalendar/react/locales/pt-br';
import theme from '@fullcalendar/react/themes/classic';
import timeGrid from '@fullcalendar/react/timegrid';
import type { Span } from '@mostrador/hours/local-days';
import '@fullcalendar/react/skeleton.css';
import '@fullcalendar/react/themes/classic/theme.css';
import { useEffect, useRef } from 'react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { clockTime, firstWeekday } from '../ui/time.ts';
import { wallTime } from '../ui/zone.ts';
import type { Appointment } from './appointment-queries.ts';
import { type Booking, bookable, colourOf } from './booking.ts';
import { daysOf, type View } from './calendar-search.ts';
import { type Column, columnOf, dayOfColumn, minutesBetween, minutesToMidnight } from './columns.ts';
import { exactDrag } from './exact-drag.ts';
import styles from './grid.module.css';
import { backgroundOf, busyOfMonth, classOf, eventOf, type Shown, Words } from './grid-events.tsx';
import { hoursOf } from './hours.ts';
import { moveAppointment } from './move-appointment.ts';
import { Dot, type Named } from './people.tsx';

/** Where a new appointment begins, on the clock of the store, and with whom. */
export type Slot = { readonly start: string; readonly minutes: number; readonly sellerId?: string | null };

type GridProps = {
  readonly view: Exclude<View, 'agenda'>;
  readonly date: string;
  /** The time that the view shows. */
  readonly shown: Span;
  /** When the connected calendar takes time. */
  readonly busy: readonly Span[];
  readonly timeZone: string;
  readonly appointments: readonly Appointment[];
  /** Null: the store has no booking rules, and nothing is closed. */
  readonly booking: Booking | null;
  /** Of the day, by person. Without any, the day is one column. */
  readonly columns: readonly Column[];
  readonly nameOf: (appointment: Appointment) => Named;
  readonly onOpen: (appointmentId: string) => void;
  readonly onCreate: (slot: Slot) => void;
  readonly onMore: (day: string) => void;
};

const names = { month: 'dayGridMonth', week: 'timeGridWeek', day: 'timeGridDay' } as const;
/** A wall time as the rest of the console writes it. */
const clock: FormatterInput = ({ date }) => clockTime(date.marker.toISOString(), 'UTC');

/** The month, week or day. Appointments move by dragging; by keyboard they open, and are changed there. */
export function Grid(props: GridProps) {
  const { view, date, shown, busy, timeZone, appointments, booking, columns, nameOf, onOpen, onCreate, onMore } = props;
  const calendar = useRef<CalendarRef>(null);
  const frame = useRef<HTMLDivElement>(null);
  const name = columns.length > 0 ? 'people' : names[view];
  useEffect(() => calendar.current?.getApi().changeView(name, date), [name, date]);
  const now = wallTime(Date.now(), timeZone);
  const days = daysOf(view, date, firstWeekday());
  const columnAt = (shown: Date) => columns[columnOf(date, shown.toISOString())];
  return (
    <div ref={frame} className={styles.frame}>
      <div
        className={styles.grid}
        data-view={view}
        data-people={(booking && bookable(booking).length > 0) || undefined}
        style={{ minWidth: columns.length > 0 ? `${columns.length * 8 + 4}rem` : undefined }}
      >
        <FullCalendar
          // A day that was the column of one person would keep the name of that person.
          key={columns.length > 0 ? [date, ...columns.map(({ sellerId }) => sellerId)].join() : ''}
          ref={calendar}
          plugins={[dayGrid, timeGrid, exactDrag, theme]}
          locales={[es, pt]}
          locale={getLocale()}
          // The clock of the store: the calendar only ever sees wall times, which are the same wherever the browser is.
          timeZone="UTC"
          now={`${now}:00Z`}
          initialView={name}
          views={{ people: { type: 'timeGrid', duration: { days: Math.max(1, columns.length) } } }}
          initialDate={date}
          firstDay={firstWeekday()}
          headerToolbar={false}
          height={view === 'month' ? 'auto' : '42rem'}
          scrollTime={scrollTimeOf(days, now)}
          // Else every appointment that appears scrolls back to it.
          scrollTimeReset={false}
          allDaySlot={false}
          nowIndicator={columns.length === 0}
          dayMaxEvents={4}
          // What does not fit is a busy time first.
          eventOrder="-isBusy,start,-duration,title"
          moreLinkClick={({ date: day }) => onMore(day.toISOString().slice(0, 10))}
          snapDuration="00:15:00"
          selectable={view !== 'month'}
          selectMirror
          editable
          eventInteractive
          longPressDelay={300}
          displayEventEnd={false}
          eventTimeFormat={clock}
          slotHeaderFormat={clock}
          slotHeaderInnerClass={styles.slot}
          dayHeaderInnerClass={({ isToday }) => `${styles.day} ${isToday && columns.length === 0 ? styles.today : ''}`}
          {...(columns.length > 0 && {
            dayHeaderContent: ({ date: day }: { date: Date }) => (
              <ColumnHead column={columnAt(day)} booking={booking} />
            ),
            // The content is hidden from screen readers.
            dayHeaderDidMount: ({ el, date: day }: { el: HTMLElement; date: Date }) =>
              el.setAttribute('aria-label', nameOfColumn(columnAt(day), booking)),
          })}
          datesSet={() => focusableLane(frame.current)}
          dayLaneClass={styles.lane}
          dayCellTopInnerClass={({ isToday }) => `${styles.slot} ${isToday ? styles.today : ''}`}
          dayCellClass={({ date: day }) => (isClosed(booking, day) ? styles.closed : '')}
          listItemEventBeforeClass={styles.dot}
          eventInnerClass={styles.inner}
          backgroundEventTitleClass={styles.busyWords}
          eventContent={(shown: EventDisplayInfo) => <Words shown={shown} />}
          eventClass={({ event }: EventDisplayInfo) => classOf(event.extendedProps as Shown)}
          events={[
            ...appointments.map((appointment) => {
              const index = columns.findIndex(({ sellerId }) => sellerId === (appointment.seller_id ?? null));
              const column = index < 0 ? undefined : dayOfColumn(date, index);
              return eventOf({ appointment, named: nameOf(appointment), timeZone, column, shown });
            }),
            // In a month a background fills the day.
            ...(view === 'month'
              ? busyOfMonth(busy, days, timeZone)
              : backgroundOf({ booking, columns, days, now, busy, shown, timeZone })),
          ]}
          eventDidMount={({ el, event }) => {
            if (event.id) el.setAttribute('data-appointment', event.id);
          }}
          eventClick={({ event, jsEvent }) => {
            jsEvent.preventDefault();
            if (event.id) onOpen(event.id);
          }}
          dateClick={({ date: at, dateStr }) => {
            const column = columnAt(at);
            const day = column ? date : dateStr.slice(0, 10);
            const start = view === 'month' ? `${day}T09:00` : `${day}${dateStr.slice(10, 16)}`;
            onCreate({ start, minutes: 60, ...column });
          }}
          select={({ start, end, startStr }) => {
            const minutes = minutesBetween(start, end);
            const column = columnAt(start);
            // A time of two people is none.
            if (column && minutes > minutesToMidnight(start)) return;
            const day = column ? date : startStr.slice(0, 10);
            // A click selects half an hour, and is a date click as well.
            if (minutes > 30 && minutes <= 1440)
              onCreate({ start: `${day}${startStr.slice(10, 16)}`, minutes, ...column });
          }}
          eventDrop={(info) => moveAppointment(info, { timeZone, date, columns })}
          eventResize={(info) => moveAppointment(info, { timeZone, date, columns, isResize: true })}
        />
      </div>
    </div>
  );
}

/**
 * Lets the keyboard scroll the hours: the keys scroll what has the focus inside. The scroller itself cannot have it,
 * because it stands between a row of the table and its group. Of the days only the first is a stop of Tab.
 */
function focusableLane(frame: HTMLElement | null): void {
  for (const [index, lane] of [...(frame?.querySelectorAll<HTMLElement>(`.${styles.lane}`) ?? [])].entries()) {
    if (index === 0) lane.tabIndex = 0;
    else lane.removeAttribute('tabindex');
  }
}

/** Today it begins two hours before now, and on other days in the morning. */
function scrollTimeOf({ from, to }: { from: string; to: string }, now: string): string {
  const isNow = from <= now.slice(0, 10) && now.slice(0, 10) < to;
  return isNow ? `${String(Math.max(0, Number(now.slice(11, 13)) - 2)).padStart(2, '0')}:00:00` : '08:00:00';
}

function isClosed(booking: Booking | null, day: Date): boolean {
  if (!booking) return false;
  return hoursOf(booking, null)(Date.parse(day.toISOString().slice(0, 10))).length === 0;
}

function nameOfColumn(column: Column | undefined, booking: Booking | null): string {
  if (!column?.sellerId) return m.calendar_store_places();
  return booking?.sellers.find(({ id }) => id === column.sellerId)?.name ?? m.calendar_person_gone();
}

const ColumnHead = ({ column, booking }: { column: Column | undefined; booking: Booking | null }) => (
  <span className={styles.person}>
    {booking && column?.sellerId && <Dot colour={colourOf(booking, column.sellerId)} />}
    <bdi>{nameOfColumn(column, booking)}</bdi>
  </span>
);
