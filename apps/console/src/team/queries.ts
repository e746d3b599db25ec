import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { pageOf } from '../api/pages.ts';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import type { AuditSearch } from './audit-search.ts';

export const peopleQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async () => (await dataOf(platform.GET('/users'))).data,
});

/** All sellers of the store, in the order of their creation. */
export const allSellersQuery = queryOptions({
  queryKey: ['sellers', 'all'],
  queryFn: async () => {
    const sellers: Seller[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const page = await pageOf(platform.GET('/sellers', { params: { query: { limit: 200, cursor } } }));
      sellers.push(...page.rows);
      cursor = page.next;
    }
    return sellers;
  },
});

export const auditLogQuery = ({ actor, action }: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', actor, action],
    queryFn: ({ pageParam }) =>
      dataOf(platform.GET('/audit-log', { params: { query: { actor_id: actor, action, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
