import { queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';

export const channelQuery = queryOptions({
  queryKey: ['channel'],
  queryFn: () => dataOf(platform.GET('/channel')),
});

export const calendarQuery = queryOptions({
  queryKey: ['calendar'],
  queryFn: () => dataOf(platform.GET('/calendar')),
});
