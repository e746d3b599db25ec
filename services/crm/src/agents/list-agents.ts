import { listAgents as operation, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countActiveAgents, listActiveAgents } from './agent.repository.ts';
import { type AgentRow, toAgent } from './agent.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ priority: Type.Integer(), id: Uuid }),
  positionOf: ({ priority, id }: AgentRow) => ({ priority, id }),
  toAfter: (position) => position,
});

export const listAgents =
  ({ database }: Dependencies): Handler<typeof operation> =>
  (context, { query }) =>
    readPage(database, context, query, {
      filters: {},
      list: (sql, page) => listActiveAgents(sql, context.storeId, page),
      count: (sql) => countActiveAgents(sql, context.storeId),
      show: toAgent,
    });
