import { listAppointments as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { bindingOf, filtersOf, rowsOf } from '../list-filters.ts';
import { countAppointments, listAppointments as listRows } from './appointment.repository.ts';
import { toAppointment } from './appointment.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('scheduled_at') });

export const listAppointments =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  (context, { query }) => {
    const filters = filtersOf(query);
    const rows = rowsOf('appointments', filters);
    return readPage(database, context, query, {
      filters: bindingOf(filters),
      list: (sql, page) => listRows(sql, context.storeId, filters, page),
      count: (sql) => {
        const countRows = async () => (await countAppointments(sql, context.storeId, filters))[0].total;
        return rows ? listTotals.count(sql, context.storeId, rows, countRows) : countRows();
      },
      show: toAppointment,
      // With more filters, the values decide which index is best.
      planning: { inIndexOrder: rows !== undefined },
    });
  };
