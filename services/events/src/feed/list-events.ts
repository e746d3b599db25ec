import type { listEvents as operation } from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { type EventFilters, findEvents, findFeed } from './event.repository.ts';
import { toEvent } from './event.ts';
import { isExpired, lastLookedThrough, startOf } from './page.ts';

/** How many events a page with filters looks through. */
const mostLookedThrough = 2_000;
/** How many of the newest events a sample looks through. */
const mostSampled = 10_000;

/**
 * Reads a page at once; the gateway waits for events. Retention moves `oldest_sequence` before it removes events, so a
 * page is whole when `oldest_sequence` has not passed its beginning afterwards.
 */
export const listEvents =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { after = 0, limit = 50 } = query;
    const filters: EventFilters = {
      ...(query.types === undefined ? {} : { types: [...valuesOf(query.types)] }),
      ...(query.entity_id === undefined ? {} : { entityId: query.entity_id }),
    };
    const { storeId } = context;
    if (query.order === 'desc') {
      // 0 is the default.
      if (after !== 0) {
        throw validationFailed([{ in: 'query', name: 'after', detail: 'cannot be combined with `order=desc`' }]);
      }
      return await sample(database, context, { filters, limit });
    }
    for (;;) {
      const feed = await database.read(context, (sql) => findFeed(sql, storeId));
      if (isExpired(feed, after)) throw new AppError('cursor_expired');
      const start = startOf(feed, after);
      if (start === feed.last_sequence) return { data: [], next: start };
      const until = start + mostLookedThrough;
      const { rows, since } = await database.read(context, async (sql) => ({
        rows: await findEvents(sql, storeId, { start, until, filters, limit }),
        since: await findFeed(sql, storeId),
      }));
      if (since.oldest_sequence <= start + 1) {
        const next = lastLookedThrough(rows, { limit, until, last: feed.last_sequence });
        return { data: rows.map(toEvent), next };
      }
      // Retention has passed the beginning of the page. Only a request for the oldest events has another beginning now.
    }
  };

/** The newest events. `next` is behind them, so nothing is missing when the caller follows from there. */
async function sample(
  database: Dependencies['database'],
  context: StoreContext,
  asked: { filters: EventFilters; limit: number },
) {
  const { storeId } = context;
  return await database.read(context, async (sql) => {
    const { last_sequence: until } = await findFeed(sql, storeId);
    const rows = await findEvents(sql, storeId, { ...asked, start: until - mostSampled, until, newestFirst: true });
    return { data: rows.map(toEvent), next: until };
  });
}
