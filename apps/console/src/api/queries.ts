import {
  type DataTag,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  type Updater,
} from '@tanstack/react-query';
import { closeOwn } from '../inbox/own-storage.ts';
import { forget } from '../unsaved.ts';
import { Failure, isSignedOut } from './failure.ts';
import { allOf, pageOf } from './pages.ts';
import { dataOf, platform, type Session, type StoreAi } from './platform.ts';

/** Called when an answer says that the session is over. */
let whenSignedOut = () => {};
export function onSignedOut(act: () => void): void {
  whenSignedOut = act;
}
const onError = (error: unknown) => {
  if (isSignedOut(error)) whenSignedOut();
};

/** Only what may go well the next time is tried again. */
const mayRecover = (error: unknown) => error instanceof Failure && (error.status === 0 || error.status >= 500);

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // Without a connection a question fails at once, instead of showing what was found for an earlier one until there is.
      networkMode: 'always',
      retry: (count, error) => count < 2 && navigator.onLine && mayRecover(error),
      refetchOnReconnect: true,
    },
  },
});

/**
 * Shows what a change was answered. A reading that is under way may have begun before the change, so what it finds no longer
 * counts: the stream of events begins such readings at any time.
 */
export async function keep<Data>(
  { queryKey }: { readonly queryKey: DataTag<QueryKey, Data, Error> },
  answer: Updater<Data | undefined, Data | undefined>,
): Promise<void> {
  await queries.cancelQueries({ queryKey, exact: true });
  queries.setQueryData<Data>(queryKey, answer);
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ client, queryKey }) => {
    const session = await dataOf(platform.GET('/session'));
    const known = client.getQueryData<Session>(queryKey);
    if (known && known.user.email !== session.user.email) closeOwn();
    return known && !isSame(known, session) ? await startOver() : session;
  },
  staleTime: 60_000,
});

const isSame = (one: Session, other: Session): boolean =>
  one.user.id === other.user.id && one.store.id === other.store.id;

/**
 * Loads the page again, so that it shows nothing of another person or store, and changes nothing in the wrong one: not even
 * what is not saved.
 */
function startOver(): Promise<never> {
  forget();
  location.assign('/console/');
  return new Promise(() => {});
}

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await dataOf(platform.GET('/sessions'))).data,
});

export const credentialsQuery = queryOptions({
  queryKey: ['credentials'],
  queryFn: () => dataOf(platform.GET('/credentials')),
});

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => dataOf(platform.GET('/sign-in')),
  staleTime: 300_000,
});

export const storesQuery = queryOptions({
  queryKey: ['stores'],
  queryFn: () =>
    allOf(async (cursor) => {
      const { data, next_cursor } = await dataOf(platform.GET('/stores', { params: { query: { cursor } } }));
      return { rows: data, total: undefined, next: next_cursor ?? undefined };
    }),
  staleTime: 60_000,
});

/** All sellers of the store, in the order of their creation. */
export const sellersQuery = queryOptions({
  queryKey: ['sellers', 'all'],
  queryFn: () => allOf((cursor) => pageOf(platform.GET('/sellers', { params: { query: { limit: 200, cursor } } }))),
  staleTime: 60_000,
});

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await dataOf(platform.GET('/keys'))).data,
});

/** The store, for its time zone and its connections. */
export const storeQuery = queryOptions({
  queryKey: ['store'],
  queryFn: () => dataOf(platform.GET('/store')),
  staleTime: 300_000,
});

/** Whether the AI of the store answers, and with which models. */
export const aiQuery = queryOptions({
  queryKey: ['ai'],
  queryFn: () => dataOf(platform.GET('/ai')),
  staleTime: 60_000,
});

/** Whether the AI answers customers whose conversation is not paused. As long as it is not known: no. */
export const answersByAi = (ai: StoreAi | undefined): boolean => ai?.ai === true && ai.connections.length > 0;
