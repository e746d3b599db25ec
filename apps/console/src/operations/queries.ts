import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import type { WaitingKind } from './operations-search.ts';

export const waitingQuery = (kind: WaitingKind | undefined) =>
  infiniteQueryOptions({
    queryKey: ['waiting', kind],
    queryFn: ({ pageParam }) => dataOf(platform.GET('/waiting', { params: { query: { kind, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    // No event says what became of an attempt, so what is being tried is read again.
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.data.some(({ reason }) => reason === 'due' || reason === 'running') ? 2_000 : false,
  });

export const environmentQuery = queryOptions({
  queryKey: ['environment'],
  queryFn: () => dataOf(platform.GET('/environment')),
  staleTime: Number.POSITIVE_INFINITY,
});

export const waitingChanged = () => queries.invalidateQueries({ queryKey: ['waiting'] });
