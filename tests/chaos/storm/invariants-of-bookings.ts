import type { Invariant } from './invariant.ts';
import type { BookedStore } from './seen.ts';

type Booked = BookedStore['appointments'][number];

const minuteMs = 60_000;

/** Invariants of appointments that take places, and of the calendar in which another program changes them. */
export const ofBookings: readonly Invariant[] = [
  {
    name: 'no place is taken twice',
    verdict: 'doubled',
    find: (_, { booked }) =>
      booked.flatMap(({ storeId, capacity, appointments }) => {
        const scheduled = appointments.filter(({ status }) => status === 'scheduled');
        const ofSellers = [...Map.groupBy(scheduled, ({ sellerId }) => sellerId)];
        return [
          ...ofSellers.flatMap(([sellerId, own]) =>
            tooMany(own, sellerId === null ? capacity : 1, sellerId ?? `the places of ${storeId}`),
          ),
          ...scheduled.flatMap(({ id, start, placeFrom }) =>
            placeFrom === start ? [] : `the appointment ${id} is scheduled, but has no place at its time`,
          ),
        ];
      }),
  },
  {
    name: 'the cancellation of a booking stays',
    verdict: 'lost',
    find: ({ entries }, { booked }) => {
      const byMark = new Map(booked.flatMap(({ appointments }) => appointments.map((row) => [row.mark, row])));
      return entries.flatMap(({ kind, mark, cancel }) => {
        const row = kind === 'booking' && cancel === 'cancelled' ? byMark.get(mark) : undefined;
        return row && row.status !== 'cancelled' ? `the booking ${row.id} was cancelled, but is ${row.status}` : [];
      });
    },
  },
  {
    name: 'calendar and appointments agree',
    verdict: 'broken',
    find: (_, { booked }) =>
      booked.flatMap(({ appointments, events }) => {
        const found = Map.groupBy(events, ({ id }) => id);
        const faults = appointments.flatMap(({ id, status, start, minutes }) => {
          const shown = found.get(id) ?? [];
          found.delete(id);
          if (shown.length !== (status === 'cancelled' ? 0 : 1))
            return `the calendar shows the ${status} appointment ${id} ${shown.length} times`;
          const [event] = shown;
          return event && (event.start !== start || event.minutes !== minutes)
            ? `the calendar shows the appointment ${id} at another time`
            : [];
        });
        return [...faults, ...[...found.keys()].map((id) => `the calendar shows ${id}, which is no appointment`)];
      }),
  },
];

/** The moments at which more appointments run than there are places. One begins at each such moment. */
function tooMany(appointments: readonly Booked[], places: number, whose: string): string[] {
  return appointments.flatMap(({ id, start }) => {
    const running = appointments.filter((each) => each.start <= start && start < each.start + each.minutes * minuteMs);
    return running.length > places ? `${running.length} appointments of ${whose} run at the start of ${id}` : [];
  });
}
