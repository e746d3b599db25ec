import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { Failure } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { type FeedFilters, type FeedPart, type ReadForward, readBack, readOn } from './read-back.ts';

const readWith =
  ({ types, entity_id }: Partial<FeedFilters>): ReadForward =>
  (after, limit) =>
    dataOf(
      platform.GET('/events', { params: { query: { after, limit, entity_id, types: types?.join(',') as never } } }),
    );

/** The number of the newest event. The live stream says when there is a newer one. */
export const newestQuery = queryOptions({
  queryKey: ['events', 'newest'],
  queryFn: newest,
});

async function newest(): Promise<number> {
  return (await readWith({})(-1, 1)).next;
}

type Part = { readonly before?: number; readonly after?: number };

/** The feed from its end. Its key is not below `events`: an event must not load all of it again. */
export const feedQuery = (filters: FeedFilters) =>
  infiniteQueryOptions({
    queryKey: ['event-log', filters],
    queryFn: async ({ pageParam: { before, after } }): Promise<FeedPart & { readonly oldest: number }> => {
      const read = readWith(filters);
      if (after !== undefined) return { ...(await readOn(read, after)), oldest: 0 };
      const [top, first] = await Promise.all([before ?? newest(), readWith({})(0, 1)]);
      const oldest = first.data[0]?.sequence ?? top + 1;
      const isFiltered = filters.types !== undefined || filters.entity_id !== undefined;
      return { ...(await readBack(read, top, oldest, isFiltered)), oldest };
    },
    initialPageParam: {} as Part,
    getNextPageParam: ({ bottom, oldest }): Part | undefined => (bottom >= oldest ? { before: bottom } : undefined),
    getPreviousPageParam: ({ top }): Part => ({ after: top }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    gcTime: 0,
  });

export const eventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['event-log', 'event', eventId],
    queryFn: () => dataOf(platform.GET('/events/{eventId}', { params: { path: { eventId } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Whether the feed does not keep the event any more. */
export const isTooOld = (error: unknown): boolean => error instanceof Failure && error.code === 'event_not_found';
