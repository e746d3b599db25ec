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
    // A customer may have written since.
    staleTime: 0,
  });
};

/** A conversation and an agent to try on it. Another `run` asks again. */
export type Trial = { readonly leadId: string; readonly agent: AgentTrial; readonly run: number };

/** What a replay asks costs money, so nothing asks by itself again. */
const once = {
  ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  ...{ retry: false, refetchOnMount: false, refetchOnWindowFocus: false, refetchOnReconnect: false },
};

/** The end of the replay before: several conversations are asked about one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** How an agent answers the first turns of a conversation, after those that were asked before. */
export const firstReplayQuery = ({ leadId, agent, run }: Trial) =>
  queryOptions({
    queryKey: ['agents', 'replay', 'first', leadId, run, agent],
    queryFn: async ({ signal }) => {
      const asked = last.then(() => {
        signal.throwIfAborted();
        return dataOf(platform.POST('/ai/replay', { body: { lead_id: leadId, agent }, signal }));
      });
      last = asked.catch(() => undefined);
      return await asked;
    },
    ...once,
  });

/** How an agent answers a conversation, some turns at a time. */
export const replayQuery = ({ leadId, agent, run }: Trial) =>
  infiniteQueryOptions({
    queryKey: ['agents', 'replay', leadId, run, agent],
    queryFn: ({ pageParam: after, signal }) =>
      dataOf(platform.POST('/ai/replay', { body: { lead_id: leadId, agent, ...(after && { after }) }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    ...once,
  });
