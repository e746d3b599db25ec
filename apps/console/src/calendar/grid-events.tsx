import type { EventDisplayInfo } from '@fullcalendar/react';
import type { Span } from '@mostrador/hours/local-days';
import { Check } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { timesText } from '../ui/time.ts';
import { wallTime } from '../ui/zone.ts';
import type { Appointment } from './appointment-queries.ts';
import { wordsOfAppointment } from './appointment-words.ts';
import type { Booking } from './booking.ts';
import { busyBlocks } from './busy-blocks.ts';
import { busyLines } from './busy-days.ts';
import { addDays } from './calendar-search.ts';
import { type Column, dayOfColumn, minutesToMidnight } from './columns.ts';
import styles from './grid.module.css';
import { closedParts, hoursOf } from './hours.ts';
import type { Named } from './people.tsx';
import { partIn, spanOf } from './spans.ts';

/** What an event shows beside its time. */
export type Shown = Pick<Appointment, 'title' | 'status' | 'scheduled_at' | 'duration_minutes'> & {
  readonly seller_id: string | null;
  /** By the customer. */
  readonly isConfirmed: boolean;
  readonly named: Named;
  /** For the pointer, and in a month. */
  readonly words: string;
};

/** What the line of a busy time shows in a month. */
type ShownBusy = { readonly isBusy: 1; readonly times: string };

export function classOf({ status, named, isBusy }: Partial<Shown & ShownBusy>): string {
  if (isBusy) return String(styles.busyLine);
  if (!status || !named) return '';
  return [styles.event, styles[status], named.colour && styles[`person${named.colour}`]].filter(Boolean).join(' ');
}

/** The customer first, then what it is about, when, and with whom. */
export function Words({ shown: { event, timeText, isShort, view } }: { shown: EventDisplayInfo }) {
  const { named, title, words, isConfirmed, isBusy, times } = event.extendedProps as Partial<Shown & ShownBusy>;
  if (isBusy) return <BusyWords times={times ?? ''} />;
  // What is being selected has no name yet.
  if (!named) return <span className={styles.time}>{timeText}</span>;
  const { customer, service, person } = named;
  const isMonth = view.type === 'dayGridMonth';
  const more = [timeText, service, view.type === 'people' ? undefined : person].filter(Boolean).join(' · ');
  return (
    <span className={styles.words} data-short={isMonth || isShort || undefined} title={words}>
      {isMonth && <span className={styles.time}>{timeText} </span>}
      <span>
        {isConfirmed && <Check size={12} aria-hidden className={styles.confirmed} />}
        <bdi className={styles.customer}>{customer ?? title}</bdi>
      </span>
      {customer && <bdi> {title}</bdi>}
      {!isMonth && !isShort && <span className={styles.more}>{more}</span>}
    </span>
  );
}

const BusyWords = ({ times }: { times: string }) => (
  <span className={styles.words} data-short title={`${m.calendar_busy()}, ${times}`}>
    {m.calendar_busy_short()} · <span className={styles.time}>{times}</span>
  </span>
);

/** A click on one is a click on its day. */
export const busyOfMonth = (busy: readonly Span[], days: { from: string; to: string }, timeZone: string) =>
  busyLines(busy, days, timeZone).map(({ day, times }) => ({
    ...{
      start: `${day}T00:00:00Z`,
      end: `${day}T00:01:00Z`,
      display: 'list-item',
      editable: false,
      interactive: false,
    },
    extendedProps: { isBusy: 1, times } satisfies ShownBusy,
  }));

type EventParts = {
  readonly appointment: Appointment;
  readonly named: Named;
  readonly timeZone: string;
  /** The day that stands for its person. */
  readonly column: string | undefined;
  /** The time that the view shows. */
  readonly shown: Span;
};

export function eventOf({ appointment, named, timeZone, column, shown }: EventParts) {
  const { id, title, scheduled_at, duration_minutes, status, seller_id = null, confirmed_at } = appointment;
  const isConfirmed = status === 'scheduled' && Boolean(confirmed_at);
  const whole = spanOf(appointment);
  // The days beside it are the columns of other people.
  const part = column ? (partIn(whole, shown) ?? whole) : whole;
  const wall = wallTime(part.start, timeZone);
  const start = new Date(`${column ?? wall.slice(0, 10)}${wall.slice(10)}Z`);
  const length = part.end - part.start;
  const lengthMs = column ? Math.min(length, minutesToMidnight(start) * 60_000) : length;
  const extendedProps: Shown = {
    ...{ title, status, scheduled_at, duration_minutes, seller_id, isConfirmed, named },
    words: [timesText(appointment, timeZone), named.customer, title, named.service, named.person]
      .concat(isConfirmed ? m.calendar_confirmed() : wordsOfAppointment(status))
      .filter(Boolean)
      .join(', '),
  };
  return {
    id,
    title,
    start: start.toISOString(),
    end: new Date(start.getTime() + lengthMs).toISOString(),
    // Without its beginning it cannot be moved by where it is dropped.
    editable: status === 'scheduled' && part.start === whole.start,
    extendedProps,
  };
}

type BackgroundParts = {
  readonly booking: Booking | null;
  readonly columns: readonly Column[];
  readonly days: { readonly from: string; readonly to: string };
  readonly now: string;
  readonly busy: readonly Span[];
  /** The time that the view shows. */
  readonly shown: Span;
  readonly timeZone: string;
};

/** What is closed or busy, and in columns of people the line of now. */
export function backgroundOf({ booking, columns, days, now, busy, shown: range, timeZone }: BackgroundParts) {
  if (!booking) return [];
  const shownDays: { shown: string; day: string; sellerId: string | null }[] =
    columns.length > 0
      ? columns.map(({ sellerId }, index) => ({ shown: dayOfColumn(days.from, index), day: days.from, sellerId }))
      : Array.from({ length: 7 }, (_, index) => addDays(days.from, index))
          .filter((day) => day < days.to)
          .map((day) => ({ shown: day, day, sellerId: null }));
  const at = (day: string, minutes: number) => new Date(Date.parse(day) + minutes * 60_000).toISOString();
  const plain = { display: 'background', editable: false, interactive: false } as const;
  const blocks = busyBlocks(busy, { shown: range, columnCount: columns.length, timeZone }).map((block) => ({
    ...plain,
    ...block,
    className: styles.busy,
    title: m.calendar_busy(),
  }));
  const ofDays = shownDays.flatMap(({ shown, day, sellerId }) => [
    ...closedParts(hoursOf(booking, sellerId), day).map(({ from, to }) => ({
      ...plain,
      start: at(shown, from),
      end: at(shown, to),
      className: styles.shut,
    })),
    ...(columns.length > 0 && day === now.slice(0, 10)
      ? [
          {
            ...plain,
            start: `${shown}${now.slice(10)}:00Z`,
            end: at(`${shown}${now.slice(10)}Z`, 1),
            className: styles.now,
          },
        ]
      : []),
  ]);
  return [...ofDays, ...blocks];
}
