import type { PendingQuery, Row } from 'postgres';
import type { Sql } from './client.ts';
import type { TimePageStart } from './paging.ts';

export type SqlPart = PendingQuery<Row[]>;

type TimePage<Status> = {
  /** The column that orders the list. Ties break by `id`, in the same direction. */
  readonly column: string;
  readonly descending?: boolean;
  readonly start: TimePageStart;
  readonly limit: number;
  /** Fetch all matching rows, then sort them: for a few rows that are far apart in this order. */
  readonly gather?: boolean;
  /** No index has the rows of several statuses in order, but each status has one: their pages are merged. */
  readonly statuses?: readonly Status[];
  /** The rows of a status, or of the whole list: a `select` whose `where` ends with `beyond`, without an order. */
  readonly rowsOf: (beyond: SqlPart, status?: Status) => SqlPart;
};

/** The SQL of a page of a list that is ordered by a time and then by `id`. */
export function pageByTime<Status>(sql: Sql, page: TimePage<Status>): SqlPart {
  const { start, limit, gather = false, statuses = [], rowsOf } = page;
  const column = sql(page.column);
  const direction = page.descending ? sql`desc` : sql`asc`;
  const inOrder = sql`order by ${column} ${direction}, id ${direction}`;
  const offset = 'offset' in start ? start.offset : 0;
  const beyond =
    'after' in start
      ? sql`and (${column}, id) ${page.descending ? sql`<` : sql`>`} (${start.after.at}, ${start.after.id})`
      : sql``;
  const merged = () =>
    statuses
      .map((one) => sql`(${rowsOf(beyond, one)} ${inOrder} limit ${limit + offset})`)
      .reduce((all, one) => sql`${all} union all ${one}`);
  const rows = gather
    ? sql`with gathered as materialized (${rowsOf(beyond)}) select * from gathered`
    : statuses.length > 1
      ? sql`select * from (${merged()}) as merged`
      : rowsOf(beyond);
  return sql`${rows} ${inOrder} limit ${limit} offset ${offset}`;
}
