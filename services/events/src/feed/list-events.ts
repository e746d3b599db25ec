import type { listEvents as operation } from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { type EventFilters, findEvents, findFeed } from './event.repository.ts';
import { toEvent } from './event.ts';
import { isExpired, lastLookedThrough, startOf } from './page.ts';

/** How many events a page with filters looks through. */
const mostLookedThrough = 2_000;

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
