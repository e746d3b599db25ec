import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Agent,
  type AgentEvalResult,
  type AskedAgent,
  askedMembers,
  getAgent,
  getStoreSettings,
  listStoreServices,
  runAgentEvals as operation,
  type ReplyOf,
  type RequestOf,
} from '@mostrador/contracts';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { candidatesOf } from '../models/choose-model.ts';
import { findConnections } from '../models/model-connection.repository.ts';
import { askInTime, fewAtOnce } from '../replay/in-time.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { readRules } from '../tools/read-offering.ts';
import type { StepCall } from '../turns/step-call.ts';
import { findRun, listEvals, lockRun, saveResult, saveRun } from './agent-eval.repository.ts';
import { type AgentEvalRow, type AgentEvalRunRow, toAgentEval, toAgentEvalRun } from './agent-eval.ts';
import { askEval, type EvalStore } from './ask-eval.ts';
import { judge } from './judge.ts';

type Request = RequestOf<typeof operation>;
type Answer = ReplyOf<typeof operation>;
type Asked = { readonly row: AgentEvalRow; readonly result: AgentEvalResult };
type Run = Omit<AgentEvalRunRow, 'started_at'>;

/** Asks the model, and judges its answers. Nothing is sent, and no tool that changes something is used. */
export const runAgentEvals = (dependencies: Dependencies): Handler<typeof operation> => {
  const { database, vault } = dependencies;
  const limited = fewAtOnce();
  return async (context, request) => {
    const { storeId } = context;
    const { agentId } = request.params;
    const { agent, run_id } = request.body;
    if (agent && run_id !== undefined) {
      throw validationFailed([{ pointer: '#/agent', detail: 'cannot be combined with `run_id`; send only one' }]);
    }
    return limited(() =>
      withIdempotency({
        ...{ database, context, operation },
        // The answer may have texts of a lead.
        vault,
        run: async (commit) => {
          const { run, asked } = await ask(dependencies, context, request);
          return await commit(async (sql): Promise<Answer> => {
            if (run_id === undefined) await saveRun(sql, storeId, run);
            else if (!(await lockRun(sql, storeId, agentId, run.id))) throw new AppError('agent_eval_run_not_found');
            for (const { row, result } of asked) await saveResult(sql, storeId, row, { runId: run.id, result });
            const [all, [saved]] = await Promise.all([
              listEvals(sql, storeId, agentId),
              findRun(sql, storeId, agentId),
            ]);
            const ids = new Set(asked.map(({ row }) => row.id));
            const data = all.filter(({ id }) => ids.has(id)).map((row) => toAgentEval(row, saved));
            return { run: toAgentEvalRun(saved as AgentEvalRunRow, all), data };
          });
        },
        toReply: (answer: Answer) => answer,
      }),
    );
  };
};

async function ask(
  dependencies: Dependencies,
  context: StoreContext,
  { params: { agentId }, body: { agent: changes, run_id, evals: limit = 5 } }: Request,
): Promise<{ readonly run: Run; readonly asked: readonly Asked[] }> {
  const { database, rpc } = dependencies;
  const { requestId, storeId, deadline, traceparent } = context;
  const call = { requestId, storeId, deadline, traceparent };
  const [saved, store, [settings, connections, all, [last]]] = await Promise.all([
    rpc.call(getAgent, { params: { agentId } }, call),
    readStore(rpc, call),
    database.read(context, (sql) =>
      Promise.all([
        findSettings(sql, storeId),
        findConnections(sql, storeId),
        listEvals(sql, storeId, agentId),
        findRun(sql, storeId, agentId),
      ]),
    ),
  ]);
  if (run_id !== undefined && last?.id !== run_id) throw new AppError('agent_eval_run_not_found');
  if (all.length === 0) throw new AppError('agent_eval_not_found');
  const run = run_id !== undefined && last ? last : newRun(saved, { ...saved, ...changes });
  const [connection] = candidatesOf(connections, run.agent.model);
  if (!connection) throw new AppError('model_not_connected');
  const asking = { scope: context, call, connection, agentId, settings };
  const asked: Asked[] = [];
  const waiting = all.filter(({ run_id: ranIn }) => ranIn !== run.id);
  await askInTime(waiting.slice(0, limit), context, async (row) => {
    const answer = await askEval(dependencies, row, { agent: run.agent, store, asking });
    asked.push({ row, result: { at: toTimestamp(new Date()), ...judge(row.expects, answer), answer } });
  });
  return { run, asked };
}

/** A run of an agent, with the changes that are tried. */
function newRun(saved: Agent, changed: Agent): Run {
  const [agent, before] = [changed, saved].map(
    (one) => Object.fromEntries(askedMembers.map((name) => [name, one[name]])) as AskedAgent,
  ) as [AskedAgent, AskedAgent];
  const is_draft = !isDeepStrictEqual(agent, before);
  return { id: randomUUID(), agent_id: saved.id, agent_version: saved.version, is_draft, agent };
}

async function readStore(rpc: Dependencies['rpc'], call: StepCall): Promise<EvalStore> {
  const [{ locale, timezone }, rules, { data: services }] = await Promise.all([
    rpc.call(getStoreSettings, {}, call),
    readRules(rpc, call),
    rpc.call(listStoreServices, { query: { limit: 50 } }, call),
  ]);
  return { locale, timezone, books: rules !== undefined, services };
}
