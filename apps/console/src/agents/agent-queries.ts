import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import type { components } from '../generated/platform.ts';
import { queryOf } from '../inbox/filters.ts';

type Schemas = components['schemas'];
export type Agent = Schemas['Agent'];
export type AgentSelection = Schemas['AgentSelection'];
export type AgentTrial = Schemas['AgentTrial'];
export type ReplayedTurn = Schemas['ReplayedTurn'];
export type ReplayedSide = Schemas['ReplayedSide'];

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

/** The conversations on which an agent can be tried, the latest first. */
export const triedConversationsQuery = (text: string) => {
  const { q } = queryOf({ q: text });
  return queryOptions({
    queryKey: ['agents', 'conversations', q],
    queryFn: async () => (await dataOf(platform.GET('/conversations', { params: { query: { q, limit: 8 } } }))).data,
    placeholderData: keepPreviousData,
  });
};

/** A conversation and an agent to try on it. Another `run` asks again. */
export type Trial = { readonly leadId: string; readonly agent: AgentTrial; readonly run: number };

/** How an agent answers a conversation, some turns at a time. It asks a model, so nothing asks by itself again. */
export const replayQuery = ({ leadId, agent, run }: Trial) =>
  infiniteQueryOptions({
    queryKey: ['agents', 'replay', leadId, run, agent],
    queryFn: ({ pageParam: after, signal }) =>
      dataOf(platform.POST('/ai/replay', { body: { lead_id: leadId, agent, ...(after && { after }) }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    ...{ retry: false, refetchOnMount: false, refetchOnWindowFocus: false, refetchOnReconnect: false },
  });
