import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { dataOf, type Lead, platform } from '../api/platform.ts';
import type { Appointment } from './appointment-queries.ts';

type Name = Pick<Lead, 'id' | 'name'>;

/** How many names one request asks for. */
const atOnce = 50;
const namesKey = ['leads', 'names'];

/** Until the answer comes, the names that other queries have stand in, so that one lead more hides no other. */
export const namesQuery = (client: QueryClient, ids: readonly string[]) => ({
  queryKey: [...namesKey, ...ids],
  queryFn: async (): Promise<Name[]> => {
    const query = { id: ids.join(',') as never, limit: atOnce };
    return (await dataOf(platform.GET('/leads', { params: { query } }))).data;
  },
  placeholderData: (): Name[] =>
    client
      .getQueriesData<Name[]>({ queryKey: namesKey })
      .flatMap(([, names]) => names ?? [])
      .filter(({ id }) => ids.includes(id)),
  staleTime: 60_000,
});

/** The names of the customers, by the ids of their leads. A lead that the person may not see has none. */
export function useLeadNames(appointments: readonly Appointment[]): ReadonlyMap<string, string> {
  const client = useQueryClient();
  const ids = [...new Set(appointments.flatMap(({ lead_id }) => lead_id ?? []))].sort();
  const parts = Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, part) =>
    ids.slice(part * atOnce, (part + 1) * atOnce),
  );
  return useQueries({
    queries: parts.map((part) => namesQuery(client, part)),
    combine: (found) => new Map(found.flatMap(({ data }) => data ?? []).map(({ id, name }) => [id, name] as const)),
  });
}
