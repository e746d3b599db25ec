import { listAppointments as operation, type RequestOf, Timestamp, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/paging';
import type { Handler } from '@mostrador/kit/rpc-server';
import { toInstant, toTimestamp } from '@mostrador/kit/validate';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { type AppointmentFilters, countAppointments, listAppointments as listRows } from './appointment.repository.ts';
import { type AppointmentRow, presentAppointment } from './appointment.ts';

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
    // A cursor is bound to the filters, in JSON: a Date has no members.
    const binding = { ...filters, from: filters.from?.toISOString(), to: filters.to?.toISOString() };
    const { start, take, total: counted, reply } = pages(query, binding);
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, filters, { start, limit: take }),
        counted ?? countAppointments(sql, storeId, filters),
      ]),
    );
    return reply(rows, total, presentAppointment);
  };

function filtersOf({ status, lead_id, from, to }: RequestOf<typeof operation>['query']): AppointmentFilters {
  return {
    ...(status ? { status } : {}),
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(from ? { from: toInstant(from) } : {}),
    ...(to ? { to: toInstant(to) } : {}),
  };
}
