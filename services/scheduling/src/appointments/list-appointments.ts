import { listAppointments as operation, type RequestOf, Timestamp, Uuid } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/errors';
import { decodeCursor, encodeCursor } from '@mostrador/kit/paging';
import { type Handler, reply } from '@mostrador/kit/rpc-server';
import { toInstant, toTimestamp } from '@mostrador/kit/validate';
import { type Static, Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { type AppointmentFilters, countAppointments, listAppointments as listRows } from './appointment.repository.ts';
import { presentAppointment } from './appointment.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;

/** The last row of a page, its number, and the total as the first page counted it. */
const Cursor = Type.Object({
  scheduled_at: Timestamp,
  id: Uuid,
  page: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
});

type Query = RequestOf<typeof operation>['query'];

export const listAppointments =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const limit = query.limit ?? defaultLimit;
    const filters = filtersOf(query);
    // A cursor is bound to the filters, in JSON: a Date has no members.
    const binding = { ...filters, from: filters.from?.toISOString(), to: filters.to?.toISOString() };
    const before = cursorOf(query, binding);
    const page = before ? before.page + 1 : (query.page ?? 1);
    const start = before
      ? { after: { scheduled_at: toInstant(before.scheduled_at), id: before.id } }
      : { offset: (page - 1) * limit };

    // One row more than a page tells whether there is a next one.
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, filters, { start, limit: limit + 1 }),
        before ? before.total : countAppointments(sql, storeId, filters),
      ]),
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const cursor: Static<typeof Cursor> | undefined =
      last && rows.length > limit
        ? { scheduled_at: toTimestamp(last.scheduled_at), id: last.id, page, total }
        : undefined;
    return reply(
      { data: shown.map(presentAppointment), total, page, limit },
      cursor ? { nextCursor: encodeCursor(cursor, binding) } : {},
    );
  };

function filtersOf({ status, lead_id, from, to }: Query): AppointmentFilters {
  return {
    ...(status ? { status } : {}),
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(from ? { from: toInstant(from) } : {}),
    ...(to ? { to: toInstant(to) } : {}),
  };
}

function cursorOf(query: Query, binding: object): Static<typeof Cursor> | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.page !== undefined) {
    const detail = 'cannot stand together with `cursor`';
    throw validationFailed([{ in: 'query', name: 'page', detail }]);
  }
  return decodeCursor(query.cursor, binding, Cursor);
}
