import type { EventChangeInfo } from '@fullcalendar/react';
import { m } from '../paraglide/messages.js';
import { sayFailure, sayWithUndo } from '../ui/toasts.tsx';
import { momentOf } from '../ui/zone.ts';
import { type Appointment, changeAppointment, refresh, showChange } from './appointment-queries.ts';
import { type Column, columnOf, minutesBetween, minutesToMidnight } from './columns.ts';
import type { Shown } from './grid-events.tsx';

type Move = {
  readonly timeZone: string;
  readonly date: string;
  readonly columns: readonly Column[];
  readonly isResize?: boolean;
};

type Change = Partial<Pick<Appointment, 'scheduled_at' | 'duration_minutes' | 'seller_id'>>;

/** Shows the new time at once, saves it, and offers to take it back. What the store refuses goes back by itself. */
export function moveAppointment({ event, revert }: EventChangeInfo & { revert: () => void }, options: Move): void {
  const { timeZone, date, columns, isResize = false } = options;
  const { start, end, id } = event;
  const { scheduled_at, duration_minutes, seller_id } = event.extendedProps as Shown;
  const column = start && columns[columnOf(date, start.toISOString())];
  const wall = start?.toISOString().slice(0, 16) ?? '';
  const moved = momentOf(column ? `${date}${wall.slice(10)}` : wall, timeZone, scheduled_at);
  const minutes = isResize && start && end ? minutesBetween(start, end) : duration_minutes;
  if (
    !start ||
    !moved ||
    (columns.length > 0 && !column) ||
    (isResize && column && minutes > minutesToMidnight(start))
  ) {
    revert();
    return;
  }
  // Only another column is another person.
  const isOther = column && column.sellerId !== seller_id;
  // Only what the person changed: the grid shows no seconds, and a longer appointment begins when it did.
  const before: Change = isResize ? { duration_minutes } : { scheduled_at, ...(isOther && { seller_id }) };
  const after: Change = isResize
    ? { duration_minutes: minutes }
    : { scheduled_at: moved, ...(isOther && { seller_id: column.sellerId }) };
  const save = async (to: Change, back: Change, isUndo: boolean) => {
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
