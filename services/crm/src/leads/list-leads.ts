import { type LeadSort, mostCountedLeads, listLeads as operation, Timestamp, Uuid } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { encodeCursor, readCursor, type TimePageStart } from '@mostrador/kit/database/paging';
import { findSettledMoment } from '@mostrador/kit/database/settled-moment';
import { limitingSeller } from '@mostrador/kit/rpc/person';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import { type Static, Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { toLead } from './lead.ts';
import { countFound, countLeads, countLeftOut, listLeads as listRows } from './lead-list.repository.ts';
import {
  bindingOf,
  filtersBeyond,
  filtersOf,
  hasIndex,
  isGathered,
  isSearchAlone,
  type LeadFilters,
  needsTotal,
  orderOf,
  rowsOf,
} from './lead-list.ts';
import { mostFound } from './lead-search.ts';

const defaults = {
  limit: operation.request.query.properties.limit.default as number,
  sort: operation.request.query.properties.sort.default as LeadSort,
};

/** The last row of a page, the page's number, and what the first page counted. */
const Cursor = Type.Object({
  at: Timestamp,
  id: Uuid,
  page: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
  /** Only in the cursor of a search: whether it found more than `mostFound`. */
  broad: Type.Optional(Type.Boolean()),
});

export const listLeads =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const { limit = defaults.limit, sort = defaults.sort } = query;
    const order = orderOf(sort);
    const asked = filtersOf(query, limitingSeller(context));
    const binding = bindingOf(asked, sort);
    const before = readCursor(query, binding, Cursor);
    const page = before ? before.page + 1 : (query.page ?? 1);
    const start: TimePageStart = before
      ? { after: { at: toInstant(before.at), id: before.id } }
      : { offset: (page - 1) * limit };

    const read = async (sql: Sql) => {
      // A walk by ascending `updated_at` stops before changes that may still be uncommitted, so that it misses none.
      const following = order.by === 'updated_at' && !order.descending;
      const filters: LeadFilters = following ? { ...asked, updated_before: await findSettledMoment(sql) } : asked;
      const needed = 'after' in start ? filtersBeyond(filters, order, start.after.at) : filters;
      // One extra row shows whether there is a next page.
      const readPage = (gather: boolean, isBroad = false) =>
        listRows(sql, storeId, needed, { order, start, limit: limit + 1, gather, isBroad });
      const counting = before ?? count(sql, listTotals, storeId, filters);
      if (!needsTotal(filters, order)) {
        const [counted, rows] = await Promise.all([counting, readPage(false)]);
        return { rows, counted };
      }
      const counted = await counting;
      const { total, broad = false } = counted;
      const rows = await readPage(isGathered(filters, order, total, broad), broad);
      return { rows, counted };
    };
    const { rows, counted } = await database.read(context, read, { inIndexOrder: hasIndex(asked, order) });
    const { total } = counted;
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const cursor: Static<typeof Cursor> | undefined =
      last && rows.length > limit
        ? { at: toTimestamp(last[order.by]), id: last.id, page, ...countOf(counted) }
        : undefined;
    const now = new Date();
    return reply(
      { data: shown.map((row) => toLead(row, now)), total, page, limit },
      cursor ? { nextCursor: encodeCursor(cursor, binding) } : {},
    );
  };

type Count = Pick<Static<typeof Cursor>, 'total' | 'broad'>;

const countOf = ({ total, broad }: Count): Count => ({ total, ...(broad === undefined ? {} : { broad }) });

/** Counts the leads, and how broad their search is. */
async function count(
  sql: Sql,
  listTotals: Dependencies['listTotals'],
  storeId: string,
  filters: LeadFilters,
): Promise<Count> {
  const countRows = async (isBroad: boolean) => (await countLeads(sql, storeId, filters, { isBroad }))[0].total;
  if (filters.search) {
    const found = await countFound(sql, storeId, filters.search);
    const broad = found > mostFound;
    return { total: isSearchAlone(filters) ? Math.min(found, mostCountedLeads) : await countRows(broad), broad };
  }
  const listed = rowsOf(filters);
  if (!listed) return { total: await countRows(false) };
  const except = countLeftOut(sql, storeId, filters);
  return { total: await listTotals.count(sql, storeId, { ...listed, except }, () => countRows(false)) };
}
