import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import type { components } from '../generated/platform.ts';

type Schemas = components['schemas'];
export type Agent = Schemas['Agent'];
export type AgentSelection = Schemas['AgentSelection'];

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: () => dataOf(platform.GET('/agents/all', { params: { query: { limit: 100 } } })),
});

/** Which agent a lead gets for what it writes. The request is a POST that changes nothing. */
export const selectionQuery = (leadId: string, message: string) =>
  queryOptions({
    queryKey: ['agents', 'selection', leadId, message],
    queryFn: () => dataOf(platform.POST('/agents/select', { body: { lead_id: leadId, ...(message && { message }) } })),
    placeholderData: keepPreviousData,
  });
