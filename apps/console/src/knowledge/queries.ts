import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { pageOf } from '../api/pages.ts';
import { dataOf, platform } from '../api/platform.ts';

export const documentsQuery = infiniteQueryOptions({
  queryKey: ['documents'],
  queryFn: ({ pageParam }) =>
    pageOf(platform.GET('/knowledge/documents', { params: { query: { cursor: pageParam } } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
});

export const readDocument = (documentId: string) =>
  dataOf(platform.GET('/knowledge/documents/{documentId}', { params: { path: { documentId } } }));

export const documentQuery = (documentId: string) =>
  queryOptions({ queryKey: ['documents', documentId], queryFn: () => readDocument(documentId) });

/** The passages that the assistant gets for a question. */
export const passagesQuery = (q: string) =>
  queryOptions({
    queryKey: ['documents', 'search', q],
    queryFn: async () =>
      (await dataOf(platform.GET('/knowledge/search', { params: { query: { q, limit: 10 } } }))).data,
    placeholderData: keepPreviousData,
  });
