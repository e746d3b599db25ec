import { queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import type { components } from '../generated/platform.ts';

type Schemas = components['schemas'];
export type Agent = Schemas['Agent'];
export type AgentSelection = Schemas['AgentSelection'];

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: () => dataOf(platform.GET('/agents/all', { params: { query: { limit: 100 } } })),
});

/** Leads to choose from: those with the words, or those that changed last. */
export const leadsToTryQuery = (q: string) =>
  queryOptions({
    queryKey: ['leads', 'to-try', q],
    queryFn: () =>
      dataOf(
        platform.GET('/leads', {
          params: { query: { limit: 8, ...(q.length >= 2 ? { q } : { sort: '-updated_at' as const }) } },
        }),
      ),
  });

/** Which agent a lead gets. The request is a POST that changes nothing. */
export const selectionQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['agents', 'selection', leadId],
    queryFn: () => dataOf(platform.POST('/agents/select', { body: { lead_id: leadId } })),
  });

export const leadQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['lead', leadId, 'to-try'],
    queryFn: () => dataOf(platform.GET('/leads/{leadId}', { params: { path: { leadId } } })),
  });
