import { queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';

/** No event says that settings have changed, so that they are read again whenever the person comes back to the page. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => dataOf(platform.GET('/settings')),
  staleTime: 0,
});
