import type { getAgent as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findAgent } from './agent.repository.ts';
import { toAgent } from './agent.ts';

export const getAgent =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const row = await database.read(context, (sql) => findAgent(sql, context.storeId, params.agentId));
    if (!row) throw new AppError('agent_not_found');
    return toAgent(row);
  };
