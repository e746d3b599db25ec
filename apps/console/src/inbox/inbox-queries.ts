import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Pages } from '../api/newest-first.ts';
import { usePagedList } from '../api/paged-query.ts';
import { type Conversation, dataOf, type Message, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { waitsForPerson } from './asking.ts';
import { type Filters, queryOf } from './filters.ts';

const idOfConversation = ({ lead }: Conversation) => lead.id;
const activityOf = ({ last_activity_at }: Conversation) => last_activity_at;

export function useConversations(filters: Filters) {
  const query = queryOf(filters);
  return usePagedList<Conversation>({
    key: ['conversations', query],
    read: (cursor, signal) =>
      platform.GET('/conversations', {
        params: { query: { ...query, limit: 50, ...(cursor && { cursor }) } },
        // An address has one text for a list of values.
        querySerializer: toQueryString,
        signal,
      }),
    idOf: idOfConversation,
    atOf: activityOf,
    isNewestFirst: query.sort === undefined,
    keepsPrevious: true,
  });
}

/** A lead's conversation, when a list in the page has it. */
export const useInList = (leadId: string): Conversation | undefined =>
  useSyncExternalStore(subscribeToQueries, () =>
    queries
      .getQueriesData<Pages<Conversation>>({ queryKey: ['conversations'] })
      .flatMap(([, pages = []]) => pages.flatMap(({ items }) => items))
      .find(({ lead }) => lead.id === leadId),
  );

const subscribeToQueries = (listener: () => void) => queries.getQueryCache().subscribe(listener);

const toQueryString = (query: Record<string, unknown>): string =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();

const idOfMessage = ({ id }: Message) => id;
const createdAt = ({ created_at }: Message) => created_at;

/** The messages of a lead, the newest first. */
export const useMessages = (leadId: string) =>
  usePagedList<Message>({
    key: ['messages', leadId, 'thread'],
    read: (cursor, signal) =>
      platform.GET('/leads/{leadId}/messages', {
        params: { path: { leadId }, query: { limit: 50, ...(cursor && { cursor }) } },
        signal,
      }),
    idOf: idOfMessage,
    atOf: createdAt,
  });

/** One message with its whole text. */
export const messageQuery = (leadId: string, messageId: string) =>
  queryOptions({
    queryKey: ['messages', leadId, messageId],
    queryFn: () =>
      dataOf(platform.GET('/leads/{leadId}/messages/{messageId}', { params: { path: { leadId, messageId } } })),
  });

export const windowQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['conversation', leadId, 'window'],
    queryFn: () => dataOf(platform.GET('/leads/{leadId}/conversation', { params: { path: { leadId } } })),
  });

export const leadSessionsQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['sessions', leadId, 'inbox'],
    queryFn: () => dataOf(platform.GET('/leads/{leadId}/sessions', { params: { path: { leadId } } })),
  });

/** What the AI asked people to confirm in a conversation. */
export const decisionsQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['explanation', leadId, 'decisions'],
    queryFn: () => dataOf(platform.GET('/leads/{leadId}/decisions', { params: { path: { leadId } } })),
  });

/** Why the AI wrote a message. It changes only while a person is to decide what it asks for, so else it is read once. */
export const explanationQuery = (leadId: string, messageId: string) =>
  queryOptions({
    queryKey: ['explanation', leadId, messageId],
    queryFn: () =>
      dataOf(
        platform.GET('/leads/{leadId}/messages/{messageId}/explanation', { params: { path: { leadId, messageId } } }),
      ),
    staleTime: ({ state: { data } }) => (data && !waitsForPerson(data) ? 'static' : 0),
  });
