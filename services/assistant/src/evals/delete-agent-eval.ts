import { deleteAgentEval as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteEval } from './agent-eval.repository.ts';

export const deleteAgentEval =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        if (!(await deleteEval(sql, context.storeId, params))) throw new AppError('agent_eval_not_found');
        return params.evalId;
      },
      toReply: (id) => ({ deleted: true as const, id }),
    });
