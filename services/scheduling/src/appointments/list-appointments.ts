import { listAppointments as operation, Timestamp, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { bindingOf, filtersOf } from '../list-filters.ts';
import { countAppointments, listAppointments as listRows } from './appointment.repository.ts';
import { type AppointmentRow, toAppointment } from './appointment.ts';

const pages = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ scheduled_at: Timestamp, id: Uuid }),
  positionOf: ({ scheduled_at, id }: AppointmentRow) => ({ scheduled_at: toTimestamp(scheduled_at), id }),
  toAfter: ({ scheduled_at, id }) => ({ scheduled_at: toInstant(scheduled_at), id }),
});

export const listAppointments =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const filters = filtersOf(query);
    const { start, take, total: counted, reply } = pages(query, bindingOf(filters));
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, filters, { start, limit: take }),
        counted ?? countAppointments(sql, storeId, filters),
      ]),
    );
    return reply(rows, total, toAppointment);
  };
