import { type AppointmentSort, listAppointments as operation } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { byTime, pagesOf, type TimePageStart } from '@mostrador/kit/database/paging';
import { findSettledMoment } from '@mostrador/kit/database/settled-moment';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { bindingOf, filtersBeyond, rowsOf } from '../list-filters.ts';
import { toAppointment } from './appointment.ts';
import { countAppointments, countUnsettled, listAppointments as listRows } from './appointment-list.repository.ts';
import { type AppointmentFilters, filtersOf } from './appointment-list.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const defaultSort = operation.request.query.properties.sort.default as AppointmentSort;
const readPage = pagesOf({ defaultLimit, ...byTime('scheduled_at') });
const readChanges = pagesOf({ defaultLimit, ...byTime('updated_at') });

export const listAppointments =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const { sort = defaultSort } = query;
    const asked = filtersOf(query);
    // A list of changes ends before those that may still be uncommitted. This comes before the page: docs/adr/0010.
    const isFollowing = sort === 'updated_at';
    const settled = isFollowing ? await database.read(context, findSettledMoment) : undefined;
    const filters: AppointmentFilters = settled ? { ...asked, updated_before: settled } : asked;
    const rows = rowsOf('appointments', filters);
    const source = {
      filters: bindingOf(asked, sort === defaultSort ? undefined : sort),
      list: (sql: Sql, { start, limit }: { start: TimePageStart; limit: number }) => {
        const needed = isFollowing && 'after' in start ? filtersBeyond(filters, start.after.at) : filters;
        return listRows(sql, storeId, needed, { sort, start, limit });
      },
      count: async (sql: Sql) => {
        const countRows = async () => (await countAppointments(sql, storeId, filters))[0].total;
        if (!rows) return await countRows();
        const except = settled && countUnsettled(sql, storeId, filters);
        return await listTotals.count(sql, storeId, { ...rows, except }, countRows);
      },
      show: toAppointment,
      // With more filters, the values decide which index is best.
      planning: { inIndexOrder: rows !== undefined && !isFollowing && (filters.status ?? []).length <= 1 },
    };
    return await (isFollowing
      ? readChanges(database, context, query, source)
      : readPage(database, context, query, source));
  };
