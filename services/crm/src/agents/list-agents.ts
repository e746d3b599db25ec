import { listAgents as operation, Uuid } from '@mostrador/contracts';
import { encodeCursor, readCursor } from '@mostrador/kit/paging';
import { type Handler, reply } from '@mostrador/kit/rpc-server';
import { type Static, Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countActiveAgents, listActiveAgents } from './agent.repository.ts';
import { toAgent } from './agent.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;

/** The last agent of a page, its number, and the total as the first page counted it. */
const Cursor = Type.Object({
  priority: Type.Integer(),
  id: Uuid,
  page: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
});

export const listAgents =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const limit = query.limit ?? defaultLimit;
    const before = readCursor(query, {}, Cursor);
    const page = before ? before.page + 1 : (query.page ?? 1);

    // One row more than a page tells whether there is a next one.
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listActiveAgents(sql, storeId, {
          start: before ? { after: before } : { offset: (page - 1) * limit },
          limit: limit + 1,
        }),
        before ? before.total : countActiveAgents(sql, storeId),
      ]),
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const next: Static<typeof Cursor> | undefined = last && { priority: last.priority, id: last.id, page, total };
    return reply({ data: shown.map(toAgent), total, page, limit }, next ? { nextCursor: encodeCursor(next, {}) } : {});
  };
