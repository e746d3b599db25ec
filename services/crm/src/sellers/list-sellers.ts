import { listSellers as operation, Timestamp, Uuid } from '@mostrador/contracts';
import { encodeCursor, readCursor } from '@mostrador/kit/paging';
import { type Handler, reply } from '@mostrador/kit/rpc-server';
import { toInstant, toTimestamp } from '@mostrador/kit/validate';
import { type Static, Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countSellers, listSellers as listRows } from './seller.repository.ts';
import { toSeller } from './seller.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;

/** The last row of a page, its number, and the total as the first page counted it. */
const Cursor = Type.Object({
  created_at: Timestamp,
  id: Uuid,
  page: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
});

export const listSellers =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const limit = query.limit ?? defaultLimit;
    const before = readCursor(query, {}, Cursor);
    const page = before ? before.page + 1 : (query.page ?? 1);
    const start = before
      ? { after: { created_at: toInstant(before.created_at), id: before.id } }
      : { offset: (page - 1) * limit };

    // One row more than a page tells whether there is a next one.
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, { start, limit: limit + 1 }),
        before ? before.total : countSellers(sql, storeId),
      ]),
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const cursor: Static<typeof Cursor> | undefined =
      last && rows.length > limit ? { created_at: toTimestamp(last.created_at), id: last.id, page, total } : undefined;
    return reply(
      { data: shown.map(toSeller), total, page, limit },
      cursor ? { nextCursor: encodeCursor(cursor, {}) } : {},
    );
  };
