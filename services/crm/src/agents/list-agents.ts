import { listAgents as operation, Uuid } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { countActiveAgents, listActiveAgents } from './agent.repository.ts';
import { type AgentRow, toAgent } from './agent.ts';

const pages = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Object({ priority: Type.Integer(), id: Uuid }),
  positionOf: ({ priority, id }: AgentRow) => ({ priority, id }),
  toAfter: (position) => position,
});

export const listAgents =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    const { start, take, total: counted, reply } = pages(query, {});
    const [rows, total] = await database.read(context, (sql) =>
      Promise.all([listActiveAgents(sql, storeId, { start, limit: take }), counted ?? countActiveAgents(sql, storeId)]),
    );
    return reply(rows, total, toAgent);
  };
