import { queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';

export const channelQuery = queryOptions({
  queryKey: ['channel'],
  queryFn: () => dataOf(platform.GET('/channel')),
});

export const calendarQuery = queryOptions({
  queryKey: ['calendar'],
  queryFn: () => dataOf(platform.GET('/calendar')),
  // The state of a connection has no events. While something waits, it is asked again.
  refetchInterval: ({ state: { data } }) =>
    data && (data.appointments_pending > 0 || data.status === 'degraded') ? 5000 : false,
});
