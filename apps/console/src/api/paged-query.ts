import { hashKey, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { itemsOf, needsNext, type PagePart, type Pages, partsWith, withNewest } from './newest-first.ts';
import { type ListOutcome, pageOf } from './pages.ts';
import { queries } from './queries.ts';
import { readAgain } from './read-again.ts';
import { shownData } from './shown-data.ts';

/** Items that have changed since a list was read, by the hash of its key. */
const changed = new Map<string, Set<string>>();

/** Says that an item has changed: a list that is read again then also reads the older page with it. */
export function markChanged(root: QueryKey, id: string): void {
  const cache = queries.getQueryCache();
  // What the cache has dropped is read from the beginning the next time.
  for (const hash of changed.keys()) if (!cache.get(hash)) changed.delete(hash);
  for (const { queryHash } of cache.findAll({ queryKey: root })) {
    const ids = changed.get(queryHash) ?? new Set();
    changed.set(queryHash, ids.add(id));
  }
}

type ListCall<Item> = Promise<ListOutcome<Item>>;

async function readPage<Item>(call: ListCall<Item>, cursor: string | undefined): Promise<PagePart<Item>> {
  const { rows, next } = await pageOf(call);
  return { cursor, items: rows, next };
}

type PagedListOptions<Item> = {
  readonly key: QueryKey;
  /** `signal` is that of the query. */
  readonly read: (cursor: string | undefined, signal?: AbortSignal) => ListCall<Item>;
  readonly idOf: (item: Item) => string;
  readonly atOf: (item: Item) => string;
  /** In any other order all pages that are known are read again. */
  readonly isNewestFirst?: boolean;
  /** Shows the list of the previous key until that of this one is there. */
  readonly keepsPrevious?: boolean;
};

/**
 * A list that is read page by page. When one that is newest first is invalidated, it reads its first page again, what lies
 * between that and what is known, and the older pages with items that have changed: not all pages.
 */
export function usePagedList<Item>(options: PagedListOptions<Item>) {
  const { key, read, idOf, atOf, isNewestFirst = true, keepsPrevious = false } = options;
  const client = useQueryClient();
  const hash = hashKey(key);
  const order = { idOf, atOf };
  const query = useQuery<Pages<Item>>({
    queryKey: key,
    placeholderData: keepsPrevious ? (previous) => previous : undefined,
    queryFn: async ({ signal }) => {
      const ids = changed.get(hash) ?? new Set<string>();
      changed.delete(hash);
      const known = () => client.getQueryData<Pages<Item>>(key) ?? [];
      if (!isNewestFirst) return readAgain(known, (cursor) => readPage(read(cursor, signal), cursor));
      const readNewest = async (): Promise<PagePart<Item>> => {
        let newest = await readPage(read(undefined, signal), undefined);
        for (let pages = 1; needsNext(known(), newest, { ...order, changed: ids, read: pages }); pages += 1) {
          const { items, next } = await readPage(read(newest.next, signal), newest.next);
          newest = { cursor: undefined, items: [...newest.items, ...items], next };
        }
        return newest;
      };
      try {
        const [newest, ...again] = await Promise.all([
          readNewest(),
          ...partsWith(known(), ids, order).map((cursor) => readPage(read(cursor, signal), cursor)),
        ]);
        const merged = withNewest(known(), newest, order);
        return merged.map((part) => {
          const fresh = part.cursor && again.find(({ cursor }) => cursor === part.cursor);
          return fresh ? { ...part, items: fresh.items } : part;
        });
      } catch (error) {
        for (const id of ids) changed.set(hash, (changed.get(hash) ?? new Set()).add(id));
        throw error;
      }
    },
  });
  const pages = shownData(query);
  const next = pages?.at(-1)?.next;
  const reading = useRef<string>(undefined);
  const [moreFailed, setMoreFailed] = useState<unknown>();
  const readMore = async () => {
    // The cursor of another list, which is only shown until this one is there, would be refused.
    if (next === undefined || reading.current === next || query.isPlaceholderData) return;
    reading.current = next;
    setMoreFailed(undefined);
    try {
      const part = await readPage(read(next), next);
      client.setQueryData<Pages<Item>>(key, (known) =>
        known?.at(-1)?.next === part.cursor ? [...(known ?? []), part] : known,
      );
    } catch (error) {
      setMoreFailed(error);
    } finally {
      reading.current = undefined;
    }
  };
  const items = useMemo(() => pages && itemsOf(pages, { idOf }), [pages, idOf]);
  return { items, error: query.error, refetch: query.refetch, hasMore: next !== undefined, readMore, moreFailed };
}
