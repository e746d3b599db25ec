import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { pageByTime, type SqlPart } from '@mostrador/kit/database/time-page';
import type { ListFilters } from './list-filters.ts';

/** A list of this service in the database. */
type TimeTable<Filters, Column> = {
  readonly table: string;
  /** The time that orders the list by default, and that `from` and `to` bound. */
  readonly column: Column;
  readonly statuses: readonly string[];
  /** Whether the filters name one resource with few rows, which are scattered in the order of changes. */
  readonly isOfOne: (filters: Filters) => boolean;
  /** The conditions of `from`, and of the filters that only this list has. */
  readonly own: (sql: Sql, filters: Filters) => SqlPart;
};

/** The statements of a list of this service. Each runs when it is awaited. */
export function createTimeList<Item extends object, Column extends string, Filters extends ListFilters<string>>(
  list: TimeTable<Filters, Column>,
) {
  const { statuses, isOfOne } = list;
  const column: string = list.column;
  // Conditions are composed, because with `$1 is null or …` the planner does not use the index.
  const matches = (sql: Sql, storeId: string, filters: Filters) => {
    const { lead_id, to, updated_after, updated_before } = filters;
    const isByChange = updated_after !== undefined || updated_before !== undefined;
    // The index by change has the status in front, so a filter on the change names all of them.
    const status = filters.status ?? (isByChange && !isOfOne(filters) ? statuses : []);
    return sql`store_id = ${storeId}
      ${status.length === 1 ? sql`and status = ${status[0] as string}` : sql``}
      ${status.length > 1 ? sql`and status = any(${[...status]}::text[])` : sql``}
      ${lead_id ? sql`and lead_id = ${lead_id}` : sql``}
      ${list.own(sql, filters)}
      ${to ? sql`and ${sql(column)} < ${to}` : sql``}
      ${updated_after ? sql`and updated_at > ${updated_after}` : sql``}
      ${updated_before ? sql`and updated_at < ${updated_before}` : sql``}`;
  };
  return {
    /** The query for the number of rows. */
    count(sql: Sql, storeId: string, filters: Filters) {
      const { from, to, updated_after, updated_before } = filters;
      // With one limit, a plan for any values would expect a third of all rows, and read the whole store.
      return sql<[{ total: number }]>`
        select count(*)::int as total from ${sql(list.table)}
        where ${matches(sql, storeId, filters)}
          ${from && !to ? sql`and ${sql(column)} < 'infinity'` : sql``}
          ${to && !from ? sql`and ${sql(column)} > '-infinity'` : sql``}
          ${updated_after && !updated_before ? sql`and updated_at < 'infinity'` : sql``}`;
    },
    /** A query for the number of rows that `updated_before` leaves out of what the status shows. */
    countUnsettled: (
      sql: Sql,
      storeId: string,
      { status = statuses, updated_before }: Pick<Filters, 'status' | 'updated_before'>,
    ) => sql`
      select count(*) from ${sql(list.table)}
      where store_id = ${storeId} and status = any(${[...status]}::text[])
        and updated_at >= ${updated_before ?? 'infinity'} and updated_at <= 'infinity'`,
    /** The query for a page. */
    page(
      sql: Sql,
      storeId: string,
      filters: Filters,
      page: {
        readonly sort: Column | 'updated_at';
        readonly descending?: boolean;
        readonly start: TimePageStart;
        readonly limit: number;
      },
    ) {
      const { sort, descending = false, start, limit } = page;
      const { status = sort === 'updated_at' ? statuses : [] } = filters;
      const rows = {
        gather: isOfOne(filters) && sort === 'updated_at',
        statuses: isOfOne(filters) ? [] : status,
        rowsOf: (beyond: SqlPart, one?: string) => sql`
          select * from ${sql(list.table)}
          where ${matches(sql, storeId, one ? { ...filters, status: [one] } : filters)} ${beyond}`,
      };
      return sql<Item[]>`${pageByTime(sql, { column: sort, descending, start, limit, ...rows })}`;
    },
  };
}

export type TimeList<Item extends object, Column extends string, Filters extends ListFilters<string>> = ReturnType<
  typeof createTimeList<Item, Column, Filters>
>;
