import { listAgentVersions as operation } from '@mostrador/contracts';
import { pagesOf } from '@mostrador/kit/database/paging';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { findAgent, listVersions } from './agent.repository.ts';
import { type AgentVersionRow, toAgentVersion } from './agent.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  position: Type.Integer(),
  positionOf: ({ version }: AgentVersionRow) => version,
  toAfter: (version) => version,
});

export const listAgentVersions =
  ({ database }: Dependencies): Handler<typeof operation> =>
  (context, { params: { agentId }, query }) =>
    readPage(database, context, query, {
      filters: { agentId: agentId.toLowerCase() },
      list: (sql, page) => listVersions(sql, context.storeId, agentId, page),
      async count(sql) {
        const agent = await findAgent(sql, context.storeId, agentId);
        if (!agent) throw new AppError('agent_not_found');
        // Each number from 1 on is a version.
        return agent.version;
      },
      show: toAgentVersion,
    });
