import { listAgents as operation, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countAgents, listAgents as listRows } from './agent.repository.ts';
import { type AgentRow, toAgent } from './agent.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ priority: Type.Integer(), id: Uuid }),
  positionOf: ({ priority, id }: AgentRow) => ({ priority, id }),
  toAfter: (position) => position,
});

/** The public list has only the active agents. People also see the others. */
const lists =
  (inactiveToo: boolean) =>
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  (context, { query }) =>
    readPage(database, context, query, {
      filters: inactiveToo ? { all: true } : {},
      list: (sql, page) => listRows(sql, context.storeId, { ...page, inactiveToo }),
      count: (sql) =>
        listTotals.count(
          sql,
          context.storeId,
          { list: 'agents', ...(inactiveToo ? {} : { statuses: ['active'] }) },
          () => countAgents(sql, context.storeId, { inactiveToo }),
        ),
      show: toAgent,
    });

export const listAgents = lists(false);
export const listStoreAgents = lists(true);
