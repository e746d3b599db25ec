import { getAgent, type listAgentEvals as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findRun, listEvals } from './agent-eval.repository.ts';
import { toAgentEval, toAgentEvalRun } from './agent-eval.ts';

export const listAgentEvals =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { requestId, storeId, deadline, traceparent } = context;
    const [[all, [run]]] = await Promise.all([
      database.read(context, (sql) =>
        Promise.all([listEvals(sql, storeId, params.agentId), findRun(sql, storeId, params.agentId)]),
      ),
      // An unknown agent is an error of its own.
      rpc.call(getAgent, { params }, { requestId, storeId, deadline, traceparent }),
    ]);
    return { data: all.map((row) => toAgentEval(row, run)), run: run ? toAgentEvalRun(run, all) : null };
  };
