import { getAgent, mostAgentEvals, createAgentEval as operation } from '@mostrador/contracts';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { countForCreation, insertEval } from './agent-eval.repository.ts';
import { type AgentEvalRow, toAgentEval } from './agent-eval.ts';
import { checkExpectations } from './check-expectations.ts';

export const createAgentEval =
  ({ database, rpc, vault }: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { requestId, storeId, deadline, traceparent } = context;
    checkExpectations(body.expects);
    return await withIdempotency({
      ...{ database, context, operation },
      // The answer may have texts of a lead.
      vault,
      run: async (commit) => {
        await rpc.call(getAgent, { params }, { requestId, storeId, deadline, traceparent });
        return await commit(async (sql) => {
          if ((await countForCreation(sql, storeId, params.agentId)) >= mostAgentEvals)
            throw new AppError('agent_eval_limit');
          return await insertEval(sql, storeId, params.agentId, { conversation: [], ...body });
        });
      },
      toReply: (row: AgentEvalRow) => toAgentEval(row, undefined),
    });
  };
