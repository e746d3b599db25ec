import { queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import { keep, queries } from '../api/queries.ts';
import type { components } from '../generated/platform.ts';
import type { AgentTrial } from './agent-queries.ts';

type Schemas = components['schemas'];
export type AgentEval = Schemas['AgentEval'];
export type AgentEvalRun = Schemas['AgentEvalRun'];
export type EvalBody = Schemas['CreateAgentEvalRequest'];

export const evalsQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agents', 'evals', agentId],
    queryFn: () => dataOf(platform.GET('/agents/{agentId}/evals', { params: { path: { agentId } } })),
  });

export const evalsChanged = (agentId: string) => queries.invalidateQueries(evalsQuery(agentId));

export const createEval = (agentId: string, body: EvalBody) =>
  dataOf(platform.POST('/agents/{agentId}/evals', { params: { path: { agentId } }, body }));

export const changeEval = (agentId: string, evalId: string, body: EvalBody) =>
  dataOf(platform.PATCH('/agents/{agentId}/evals/{evalId}', { params: { path: { agentId, evalId } }, body }));

export const deleteEval = (agentId: string, evalId: string) =>
  dataOf(platform.DELETE('/agents/{agentId}/evals/{evalId}', { params: { path: { agentId, evalId } } }));

/** Few in a request, so that its progress is seen. */
const evalsAtOnce = 3;

/**
 * Asks an agent all of its evals, some at a time, and shows each result as it comes. Without `agent` it is asked as it is
 * saved. An abort ends it after the present request.
 */
export async function runEvals(agentId: string, agent: AgentTrial | undefined, signal: AbortSignal): Promise<void> {
  const params = { path: { agentId } };
  let body: Schemas['RunAgentEvalsRequest'] = { ...(agent && { agent }), evals: evalsAtOnce };
  for (;;) {
    const { run, data } = await dataOf(platform.POST('/agents/{agentId}/evals/run', { params, body }));
    const results = new Map(data.map((one) => [one.id, one]));
    const isNew = body.run_id === undefined;
    await keep(
      evalsQuery(agentId),
      (known) =>
        known && {
          run,
          data: known.data.map((one) => results.get(one.id) ?? (isNew ? { ...one, result: null } : one)),
        },
    );
    if (run.waiting === 0 || data.length === 0 || signal.aborted) return;
    body = { run_id: run.id, evals: evalsAtOnce };
  }
}
