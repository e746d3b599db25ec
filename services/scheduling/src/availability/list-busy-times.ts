import { mostBusyTimes, type listBusyTimes as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { findMergedBusyTimes } from '../booking/busy.repository.ts';
import { useCalendar } from '../calendar-watch/use-calendar.ts';
import { findQuietWatch } from '../calendar-watch/watch.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { rangeOf } from './range.ts';

export const listBusyTimes =
  ({ database, relay, fairPauseMs }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { from, until } = rangeOf(query);
    const [[quiet], found] = await database.read(context, (sql) =>
      Promise.all([
        findQuietWatch(sql, context.storeId),
        findMergedBusyTimes(sql, context.storeId, { start: from, end: until }, mostBusyTimes + 1),
      ]),
    );
    if (quiet) await useCalendar({ database, relay, fairPauseMs }, context);
    const next = found[mostBusyTimes];
    return {
      data: found
        .slice(0, mostBusyTimes)
        .map(({ starts_at, ends_at }) => ({ start: toTimestamp(starts_at), end: toTimestamp(ends_at) })),
      next_from: next ? toTimestamp(next.starts_at) : null,
    };
  };
