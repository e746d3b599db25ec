import { listFollowups as operation, type RequestOf, Timestamp, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/paging';
import type { Handler } from '@mostrador/kit/rpc-server';
import { toInstant, toTimestamp } from '@mostrador/kit/validate';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countFollowups, type FollowupFilters, listFollowups as listRows } from './followup.repository.ts';
import { type FollowupRow, presentFollowup } from './followup.ts';

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
    // A cursor is bound to the filters, in JSON: a Date has no members.
    const binding = { ...filters, from: filters.from?.toISOString(), to: filters.to?.toISOString() };
    const { start, take, total: counted, reply } = pages(query, binding);
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([
        listRows(sql, storeId, filters, { start, limit: take }),
        counted ?? countFollowups(sql, storeId, filters),
      ]),
    );
    return reply(rows, total, presentFollowup);
  };

function filtersOf({ status, lead_id, from, to }: RequestOf<typeof operation>['query']): FollowupFilters {
  return {
    ...(status ? { status } : {}),
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(from ? { from: toInstant(from) } : {}),
    ...(to ? { to: toInstant(to) } : {}),
  };
}
