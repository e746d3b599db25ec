import type { QueryKey } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { markChanged } from '../api/paged-query.ts';
import { queries, sessionQuery } from '../api/queries.ts';
import { createBatch } from './batch.ts';
import { type Hint, keysOfHint, laterHintOf } from './hints.ts';
import { shareStream } from './share.ts';

/** Bursts of events become at most four readings a second. */
const batchMs = 250;
const limitMs = 5_000;
/** The inbox has mostly followed a lead after the first of these, and on a busy platform after the second. */
const followedMs = [2_000, 10_000];
/** A shorter interruption is not worth a word. */
const saidAfterMs = 5_000;

let isLost = false;
const listeners = new Set<() => void>();
function setLost(lost: boolean): void {
  isLost = lost;
  for (const listener of listeners) listener();
}

/** Reads again what is on the screen and concerned. What is not on the screen is read when it is shown. */
function readAgain(hints: readonly Hint[]): Promise<unknown> {
  const keys = new Map<string, QueryKey>();
  for (const hint of hints) {
    for (const key of keysOfHint(hint)) keys.set(JSON.stringify(key), key);
    const leadId = hint.lead_id ?? hint.entity.id;
    markChanged(['conversations'], leadId);
    if (hint.entity.type === 'message') markChanged(['messages', leadId], hint.entity.id);
  }
  return Promise.all([...keys.values()].map((queryKey) => queries.invalidateQueries({ queryKey })));
}

const isSession = (key: QueryKey) => key.length === 1 && key[0] === sessionQuery.queryKey[0];

/** Keeps what is shown up to date with the feed of the store, for as long as the component is shown. */
export function useLive(storeId: string): void {
  useEffect(() => {
    const batch = createBatch<Hint>({ ms: batchMs, limitMs, handle: readAgain });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = shareStream({
      url: '/platform/v1/events/stream',
      name: `mostrador.live.${storeId}`,
      onHint: (hint) => {
        batch.add([hint]);
        const later = laterHintOf(hint);
        if (later) for (const ms of followedMs) batch.addLater([later], ms);
      },
      onGap: () => void queries.invalidateQueries({ predicate: ({ queryKey }) => !isSession(queryKey) }),
      onState: (connected) => {
        if (connected) {
          // Meanwhile the browser may have got another session, of which this page did not hear.
          if (timer) void queries.invalidateQueries(sessionQuery);
          clearTimeout(timer);
          timer = undefined;
          setLost(false);
        } else {
          timer ??= setTimeout(() => setLost(true), saidAfterMs);
        }
      },
      // The answer to the request says that the session is over.
      onRefused: () => void queries.invalidateQueries(sessionQuery),
    });
    return () => {
      stop();
      batch.stop();
      clearTimeout(timer);
      setLost(false);
    };
  }, [storeId]);
}

/** Whether the page has no connection, or has had none to the server for a while, so that what it shows may be old. */
export const useIsLost = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      addEventListener('offline', listener);
      addEventListener('online', listener);
      return () => {
        listeners.delete(listener);
        removeEventListener('offline', listener);
        removeEventListener('online', listener);
      };
    },
    () => isLost || !navigator.onLine,
  );
