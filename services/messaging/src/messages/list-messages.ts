import { listMessages as operation, type RequestOf } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/errors';
import { decodeCursor, encodeCursor } from '@mostrador/kit/paging';
import { type Handler, reply } from '@mostrador/kit/rpc-server';
import { type Static, Type } from '@sinclair/typebox';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { countMessages, listMessages as listRows } from './message.repository.ts';
import { presentMessage } from './message.ts';

const defaultLimit = operation.request.query.properties.limit.default as number;

/** The last message of a page, its page's number, and the total as the first page counted it. */
const Cursor = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  page: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
});

export const listMessages =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, query }) => {
    const { storeId } = context;
    const leadId = params.leadId.toLowerCase();
    const limit = query.limit ?? defaultLimit;
    const before = cursorOf(query, leadId);
    const page = before ? before.page + 1 : (query.page ?? 1);
    const start = before ? { before: before.number } : { offset: (page - 1) * limit };

    // One row more than a page tells whether there is a next one.
    const [rows, total] = await dependencies.database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, leadId, { start, limit: limit + 1 }),
        before ? before.total : countMessages(sql, storeId, leadId),
      ]),
    );
    if (total === 0) await requireLead(dependencies, context, leadId);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const cursor: Static<typeof Cursor> | undefined =
      last && rows.length > limit ? { number: last.number, page, total } : undefined;
    return reply(
      { data: shown.map(presentMessage), total, page, limit },
      cursor ? { nextCursor: encodeCursor(cursor, { leadId }) } : {},
    );
  };

function cursorOf(query: RequestOf<typeof operation>['query'], leadId: string): Static<typeof Cursor> | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.page !== undefined) {
    const detail = 'cannot stand together with `cursor`';
    throw validationFailed([{ in: 'query', name: 'page', detail }]);
  }
  return decodeCursor(query.cursor, { leadId }, Cursor);
}
