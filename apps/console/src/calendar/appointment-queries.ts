import type { Span } from '@mostrador/hours/local-days';
import { type Query, queryOptions } from '@tanstack/react-query';
import { allOf, pageOf } from '../api/pages.ts';
import { dataOf, platform, versionedOf } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import type { components } from '../generated/platform.ts';

type Schemas = components['schemas'];
export type Appointment = Schemas['Appointment'];
export type AppointmentStatus = Schemas['AppointmentStatus'];
export type CalendarSync = Schemas['CalendarSync'];
type Change = Schemas['UpdateAppointmentRequest'];

/** A half-open range of time. */
export type Range = { readonly from: string; readonly to: string };

const mostInRange = 1000;

/** The appointments that take time in the range, also those that began before it. */
export const appointmentsQuery = ({ from, to }: Range) =>
  queryOptions({
    queryKey: ['appointments', 'range', from, to],
    queryFn: ({ signal }) =>
      allOf<Appointment>((cursor) => {
        const query = { from, to, overlap: true, limit: 100, ...(cursor && { cursor }) };
        return pageOf(platform.GET('/appointments', { params: { query }, signal }));
      }, mostInRange),
  });

/** When the connected calendar is busy with what is no appointment. It has no events. */
export const busyTimesQuery = ({ from, to }: Range) =>
  queryOptions({
    queryKey: ['busy-times', from, to],
    queryFn: async ({ signal }) => {
      const busy: Span[] = [];
      for (let next: string | null = from; next !== null; ) {
        const query: Range = { from: next, to };
        const { data, next_from } = await dataOf(platform.GET('/calendar/busy-times', { params: { query }, signal }));
        busy.push(...data.map(({ start, end }) => ({ start: Date.parse(start), end: Date.parse(end) })));
        next = next_from;
      }
      return busy;
    },
    refetchInterval: 60_000,
  });

export const appointmentQuery = (appointmentId: string) =>
  queryOptions({
    queryKey: ['appointment', appointmentId, 'version'],
    queryFn: () => versionedOf(platform.GET('/appointments/{appointmentId}', { params: { path: { appointmentId } } })),
  });

export const syncQuery = (appointmentId: string) =>
  queryOptions({
    queryKey: ['appointment', appointmentId, 'sync'],
    queryFn: () =>
      dataOf(platform.GET('/appointments/{appointmentId}/calendar-sync', { params: { path: { appointmentId } } })),
    // The sync has no events. While it is under way, it is asked again.
    refetchInterval: ({ state: { data } }) => (data?.state === 'pending' ? 5000 : false),
  });

/** Shows a change at once, wherever the appointment is shown. */
export function showChange(appointmentId: string, change: Partial<Appointment>): void {
  // Free times are read again with the appointments, and are none.
  const lists = { queryKey: ['appointments'], predicate: ({ queryKey }: Query) => queryKey[1] !== 'free' };
  queries.setQueriesData<readonly Appointment[]>(lists, (known) =>
    known?.map((appointment) => (appointment.id === appointmentId ? { ...appointment, ...change } : appointment)),
  );
}

export async function changeAppointment(appointmentId: string, body: Change, etag?: string): Promise<Appointment> {
  const changed = await dataOf(
    platform.PATCH('/appointments/{appointmentId}', {
      params: { path: { appointmentId } },
      body,
      // The page may be about to close.
      keepalive: true,
      ...(etag && { headers: { 'if-match': etag } }),
    }),
  );
  await refresh(appointmentId);
  return changed;
}

export const refresh = async (appointmentId?: string): Promise<void> => {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['appointments'] }),
    appointmentId && queries.invalidateQueries({ queryKey: ['appointment', appointmentId] }),
  ]);
};
