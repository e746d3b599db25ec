import { updateAgentEval as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveEval } from './agent-eval.repository.ts';
import { toAgentEval } from './agent-eval.ts';
import { checkExpectations } from './check-expectations.ts';

export const updateAgentEval =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    checkExpectations(body.expects ?? []);
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const saved = await saveEval(sql, context.storeId, params, body);
        if (!saved) throw new AppError('agent_eval_not_found');
        return saved;
      },
      // The answer may have texts of a lead.
      vault: dependencies.vault,
      toReply: (row) => toAgentEval(row, undefined),
    });
  };
