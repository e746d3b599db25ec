import FullCalendar, { type CalendarRef, type EventChangeInfo, type EventDisplayInfo } from '@fullcalendar/react';
import dayGrid from '@fullcalendar/react/daygrid';
import interaction from '@fullcalendar/react/interaction';
import es from '@fullcalendar/react/locales/es';
import pt from '@fullcalendar/react/locales/pt-br';
import theme from '@fullcalendar/react/themes/classic';
import timeGrid from '@fullcalendar/react/timegrid';
import '@fullcalendar/react/skeleton.css';
import '@fullcalendar/react/themes/classic/theme.css';
import { useEffect, useRef } from 'react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { firstWeekday, timesText } from '../ui/time.ts';
import { sayFailure, sayWithUndo } from '../ui/toasts.tsx';
import { momentOf, wallTime } from '../ui/zone.ts';
import { type Appointment, changeAppointment, refresh, showChange } from './appointment-queries.ts';
import { wordsOfAppointment } from './appointment-words.ts';
import type { View } from './calendar-search.ts';
import styles from './grid.module.css';

/** Where a new appointment begins, on the clock of the store. */
export type Slot = { readonly start: string; readonly minutes: number };

type GridProps = {
  readonly view: Exclude<View, 'agenda'>;
  readonly date: string;
  readonly timeZone: string;
  readonly appointments: readonly Appointment[];
  readonly onOpen: (appointmentId: string) => void;
  readonly onCreate: (slot: Slot) => void;
  readonly onMore: (day: string) => void;
};

const names = { month: 'dayGridMonth', week: 'timeGridWeek', day: 'timeGridDay' } as const;

/** The month, week or day. Appointments move by dragging; by keyboard they open, and are changed there. */
export function Grid({ view, date, timeZone, appointments, onOpen, onCreate, onMore }: GridProps) {
  const calendar = useRef<CalendarRef>(null);
  useEffect(() => calendar.current?.getApi().changeView(names[view], date), [view, date]);
  return (
    <div className={styles.grid} data-view={view}>
      <FullCalendar
        ref={calendar}
        plugins={[dayGrid, timeGrid, interaction, theme]}
        locales={[es, pt]}
        locale={getLocale()}
        // The clock of the store: the calendar only ever sees wall times, which are the same wherever the browser is.
        timeZone="UTC"
        now={`${wallTime(Date.now(), timeZone)}:00Z`}
        initialView={names[view]}
        initialDate={date}
        firstDay={firstWeekday()}
        headerToolbar={false}
        height={view === 'month' ? 'auto' : '42rem'}
        scrollTime="08:00:00"
        allDaySlot={false}
        nowIndicator
        dayMaxEvents={4}
        moreLinkClick={({ date: day }) => onMore(day.toISOString().slice(0, 10))}
        snapDuration="00:15:00"
        selectable={view !== 'month'}
        selectMirror
        editable
        eventInteractive
        longPressDelay={300}
        displayEventEnd={false}
        eventTimeFormat={{ hour: 'numeric', minute: '2-digit', meridiem: 'short' }}
        slotHeaderInnerClass={styles.slot}
        dayHeaderInnerClass={({ isToday }) => `${styles.day} ${isToday ? styles.today : ''}`}
        dayCellTopInnerClass={styles.slot}
        listItemEventBeforeClass={styles.dot}
        eventInnerClass={styles.inner}
        eventTimeClass={styles.time}
        eventTitleClass={styles.words}
        eventClass={({ event }: EventDisplayInfo) => `${styles.event} ${styles[event.extendedProps.status] ?? ''}`}
        events={appointments.map((appointment) => eventOf(appointment, timeZone))}
        eventDidMount={({ el, event }) => el.setAttribute('title', event.extendedProps.words)}
        eventClick={({ event, jsEvent }) => {
          jsEvent.preventDefault();
          onOpen(event.id);
        }}
        dateClick={({ dateStr }) => {
          const day = dateStr.slice(0, 10);
          onCreate({ start: view === 'month' ? `${day}T09:00` : dateStr.slice(0, 16), minutes: 60 });
        }}
        select={({ start, end, startStr }) => {
          const minutes = Math.round((end.getTime() - start.getTime()) / 60_000);
          // A click selects half an hour, and is a date click as well.
          if (minutes > 30 && minutes <= 1440) onCreate({ start: startStr.slice(0, 16), minutes });
        }}
        eventDrop={(info) => move(info, timeZone)}
        eventResize={(info) => move(info, timeZone)}
      />
    </div>
  );
}

function eventOf(appointment: Appointment, timeZone: string) {
  const { id, title, scheduled_at, duration_minutes, status } = appointment;
  const start = wallTime(scheduled_at, timeZone);
  const end = new Date(Date.parse(`${start}Z`) + duration_minutes * 60_000).toISOString();
  return {
    id,
    title,
    start: `${start}:00Z`,
    end,
    editable: status === 'scheduled',
    extendedProps: {
      status,
      scheduled_at,
      duration_minutes,
      words: `${timesText(appointment, timeZone)}, ${title}, ${wordsOfAppointment(status)}`,
    },
  };
}

/** Shows the new time at once, saves it, and offers to take it back. */
function move({ event, revert }: EventChangeInfo & { revert: () => void }, timeZone: string): void {
  const { start, end, id } = event;
  const { scheduled_at, duration_minutes } = event.extendedProps as Appointment;
  const before = { scheduled_at, duration_minutes };
  const moved = start && momentOf(start.toISOString().slice(0, 16), timeZone);
  if (!start || !moved) {
    revert();
    return;
  }
  const minutes = end ? Math.round((end.getTime() - start.getTime()) / 60_000) : duration_minutes;
  const after = { scheduled_at: moved, duration_minutes: minutes };
  const save = async (to: typeof before, back: typeof before, isUndo: boolean) => {
    showChange(id, to);
    try {
      await changeAppointment(id, to);
      if (!isUndo) sayWithUndo(m.calendar_moved({ title: event.title }), () => void save(back, to, true));
    } catch (error) {
      showChange(id, back);
      if (!isUndo) revert();
      sayFailure(error);
      void refresh(id);
    }
  };
  void save(after, before, false);
}
