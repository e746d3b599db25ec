import { listDocuments as operation, Timestamp, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countDocuments, listDocuments as listRows } from './document.repository.ts';
import { type DocumentRow, toDocument } from './document.ts';

const pages = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ created_at: Timestamp, id: Uuid }),
  positionOf: ({ created_at, id }: DocumentRow) => ({ created_at: toTimestamp(created_at), id }),
  toAfter: ({ created_at, id }) => ({ created_at: toInstant(created_at), id }),
});

export const listDocuments =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const { start, take, total: counted, reply } = pages(query, {});
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([listRows(sql, storeId, { start, limit: take }), counted ?? countDocuments(sql, storeId)]),
    );
    return reply(rows, total, toDocument);
  };
