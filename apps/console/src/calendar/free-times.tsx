import { queryOptions, useQuery } from '@tanstack/react-query';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import type { ChosenMoment } from '../ui/moment-field.tsx';
import { clockTime, dayText, timesText } from '../ui/time.ts';
import { momentOf } from '../ui/zone.ts';
import styles from './appointment.module.css';
import { type Appointment, appointmentsQuery } from './appointment-queries.ts';
import type { Booking } from './booking.ts';
import { addDays } from './calendar-search.ts';
import { conflictOf } from './conflict.ts';

/** What is to be booked. */
export type Wish = {
  readonly start: ChosenMoment;
  readonly minutes: number;
  readonly serviceId: string | null;
  readonly sellerId: string | null;
};

type Search = Omit<Wish, 'start'> & {
  readonly from: string;
  readonly to: string;
  /** The appointment that is changed, whose own place counts as free. */
  readonly ownId: string | undefined;
};

/** Holds and the busy times of the calendar have no events. */
const readAgainMs = 30_000;

/** The free starts of a day, or the reason why there are none. It is read again with the appointments and the rules. */
const freeTimesQuery = ({ from, to, minutes, serviceId, sellerId, ownId }: Search) =>
  queryOptions({
    queryKey: ['appointments', 'free', from, to, minutes, serviceId, sellerId, ownId],
    queryFn: async ({ signal }) => {
      const starts = new Set<string>();
      for (let next: string | null = from; ; ) {
        const query: Record<'from' | 'to', string> & Record<string, unknown> = {
          ...{ from: next, to, duration_minutes: minutes },
          ...(serviceId && { service_id: serviceId }),
          ...(sellerId && { seller_id: sellerId }),
          ...(ownId && { appointment_id: ownId }),
        };
        const { data, reason, next_from } = await dataOf(platform.GET('/availability', { params: { query }, signal }));
        // Several people may be free at the same time.
        for (const { start } of data) starts.add(start);
        if (next_from === null) return { starts: [...starts], reason };
        next = next_from;
      }
    },
    refetchInterval: readAgainMs,
  });

const reasons = {
  closed: m.calendar_none_closed,
  full: m.calendar_none_full,
  too_soon: m.calendar_none_too_soon,
  too_far: m.calendar_none_too_far,
} as const;

type FreeTimesProps = {
  readonly booking: Booking;
  readonly timeZone: string;
  readonly wish: Wish;
  /** What is changed. */
  readonly own: Appointment | undefined;
  readonly onChoose: (start: string) => void;
};

/** The free times of the day that is chosen, and what stands against the time that is chosen. */
export function FreeTimes({ booking, timeZone, wish, own, onChoose }: FreeTimesProps) {
  const day = wish.start.wall.slice(0, 10);
  const [from, to] = [momentOf(`${day}T00:00`, timeZone), momentOf(`${nextDay(day)}T00:00`, timeZone)];
  const isComplete = from !== undefined && to !== undefined && wish.minutes >= 1 && wish.minutes <= 1440;
  const range = { from: from ?? '', to: to ?? '' };
  const free = useQuery({ ...freeTimesQuery({ ...wish, ...range, ownId: own?.id }), enabled: isComplete });
  const others = useQuery({ ...appointmentsQuery(range), enabled: isComplete });
  if (!isComplete) return null;
  if (free.error) return <p className={styles.soft}>{wordsOf(free.error)}</p>;
  const { starts, reason } = free.data ?? { starts: undefined, reason: null };
  const chosen = Date.parse(momentOf(wish.start.wall, timeZone, wish.start.filled) ?? '');
  const known = starts && others.data && { free: starts, others: others.data, own };
  const conflict = known && !isUnchanged(wish, own, chosen) ? conflictOf({ ...wish, start: chosen }, known) : undefined;
  return (
    <fieldset className={styles.free} aria-label={m.calendar_free_times({ day: dayText(day) })}>
      <p className={styles.freeTitle}>{m.calendar_free_times({ day: dayText(day) })}</p>
      <div className={styles.times}>
        {starts?.map((start) => (
          <button
            key={start}
            type="button"
            className={styles.time}
            aria-pressed={Date.parse(start) === chosen}
            onClick={() => onChoose(start)}
          >
            {clockTime(start, timeZone)}
          </button>
        ))}
      </div>
      {/* Heard when it changes. */}
      <p role="status" className={styles.conflict}>
        {reason ? reasons[reason]() : ''}
        {conflict === 'not free' && !reason ? m.calendar_not_free() : ''}
        {typeof conflict === 'object' && wordsOfRival(conflict, booking, timeZone)}
      </p>
    </fieldset>
  );
}

const nextDay = (day: string): string => (Number.isNaN(Date.parse(day)) ? '' : addDays(day, 1));

const isUnchanged = ({ minutes, serviceId, sellerId }: Wish, own: Appointment | undefined, start: number): boolean =>
  own !== undefined &&
  Date.parse(own.scheduled_at) === start &&
  own.duration_minutes === minutes &&
  (own.service_id ?? null) === serviceId &&
  (own.seller_id ?? null) === sellerId;

const wordsOfRival = (rival: Appointment, { sellers }: Booking, timeZone: string): string => {
  const person = sellers.find(({ id }) => id === rival.seller_id)?.name ?? m.calendar_person_gone();
  return m.calendar_taken_by({ person, title: rival.title, times: timesText(rival, timeZone) });
};
