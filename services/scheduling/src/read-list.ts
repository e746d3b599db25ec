import type { Sql } from '@mostrador/kit/database/database';
import { byTime, pagesOf, type TimePageStart } from '@mostrador/kit/database/paging';
import { findSettledMoment } from '@mostrador/kit/database/settled-moment';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies, schedulingLists } from './dependencies.ts';
import { bindingOf, filtersBeyond, type ListFilters, rowsOf } from './list-filters.ts';
import type { TimeList } from './time-list.repository.ts';

type TimeItem<Column extends string> = Readonly<Record<Column | 'updated_at', Date> & { id: string }>;

/** A minus sign: latest first. */
type Sort<Column extends string> = Column | 'updated_at' | `-${Column | 'updated_at'}`;

/** A list of this service, which is read by its own time, or by `updated_at`. */
export function listReader<
  Column extends string,
  Item extends TimeItem<Column>,
  Filters extends ListFilters<string>,
  Shown,
>(list: {
  readonly name: (typeof schedulingLists)[number];
  /** The time of the default order. */
  readonly column: Column;
  readonly defaultLimit: number;
  readonly statements: TimeList<Item, Column, Filters>;
  readonly show: (item: Item) => Shown;
}) {
  const { name, column, defaultLimit, statements, show } = list;
  const readPage = pagesOf({ defaultLimit, ...byTime(column) });
  const readChanges = pagesOf({ defaultLimit, ...byTime('updated_at') });
  return async (
    { database, listTotals }: Dependencies,
    context: StoreContext,
    query: { sort?: Sort<Column>; cursor?: string; page?: number; limit?: number },
    asked: Filters,
  ) => {
    const { storeId } = context;
    const { sort = column } = query;
    const descending = sort.startsWith('-');
    const by = (descending ? sort.slice(1) : sort) as Column | 'updated_at';
    // A list of changes ends before those that may still be uncommitted. This comes before the page: docs/adr/0010.
    const isFollowing = sort === 'updated_at';
    const settled = isFollowing ? await database.read(context, findSettledMoment) : undefined;
    const filters: Filters = settled ? { ...asked, updated_before: settled } : asked;
    const rows = rowsOf(name, filters);
    const source = {
      filters: bindingOf(asked, sort === column ? undefined : sort),
      list: (sql: Sql, { start, limit }: { start: TimePageStart; limit: number }) => {
        const needed = isFollowing && 'after' in start ? filtersBeyond(filters, start.after.at) : filters;
        return statements.page(sql, storeId, needed, { sort: by, descending, start, limit });
      },
      count: async (sql: Sql) => {
        const countRows = async () => (await statements.count(sql, storeId, filters))[0].total;
        if (!rows) return await countRows();
        const except = settled && statements.countUnsettled(sql, storeId, filters);
        return await listTotals.count(sql, storeId, { ...rows, except }, countRows);
      },
      show,
      // With more filters, the values decide which index is best.
      planning: { inIndexOrder: rows !== undefined && by === column && (filters.status ?? []).length <= 1 },
    };
    return await (by === 'updated_at'
      ? readChanges(database, context, query, source)
      : readPage(database, context, query, source));
  };
}
