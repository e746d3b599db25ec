import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import type { AuditSearch } from './audit-search.ts';

export const peopleQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async () => (await dataOf(platform.GET('/users'))).data,
});

export const auditLogQuery = ({ actor, action }: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', actor, action],
    queryFn: ({ pageParam }) =>
      dataOf(platform.GET('/audit-log', { params: { query: { actor_id: actor, action, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
