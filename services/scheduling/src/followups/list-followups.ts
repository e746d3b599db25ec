import { listFollowups as operation, Timestamp, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { bindingOf, filtersOf } from '../list-filters.ts';
import { countFollowups, listFollowups as listRows } from './followup.repository.ts';
import { type FollowupRow, toFollowup } from './followup.ts';

const pages = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ due_at: Timestamp, id: Uuid }),
  positionOf: ({ due_at, id }: FollowupRow) => ({ due_at: toTimestamp(due_at), id }),
  toAfter: ({ due_at, id }) => ({ due_at: toInstant(due_at), id }),
});

export const listFollowups =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const filters = filtersOf(query);
    const { start, take, total: counted, reply } = pages(query, bindingOf(filters));
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, filters, { start, limit: take }),
        counted ?? countFollowups(sql, storeId, filters),
      ]),
    );
    return reply(rows, total, toFollowup);
  };
