import type { AgentEval, AgentEvalResult, AgentEvalRun, AskedAgent, EvalLine, Expectation } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** A row of the table `agent_evals`. */
export type AgentEvalRow = {
  readonly id: string;
  readonly agent_id: string;
  readonly text: string;
  readonly conversation: readonly EvalLine[];
  readonly expects: readonly Expectation[];
  readonly result: AgentEvalResult | null;
  /** The run that has the result. */
  readonly run_id: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export type AgentEvalContent = Pick<AgentEvalRow, 'text' | 'conversation' | 'expects'>;

/** A row of the table `agent_eval_runs`. */
export type AgentEvalRunRow = {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_version: number;
  readonly is_draft: boolean;
  readonly agent: AskedAgent;
  readonly started_at: Date;
};

/** `run`: the last one. A result of an earlier run is not shown. */
export const toAgentEval = (row: AgentEvalRow, run: AgentEvalRunRow | undefined): AgentEval => ({
  ...{ id: row.id, agent_id: row.agent_id, text: row.text },
  ...{ conversation: [...row.conversation], expects: [...row.expects] },
  result: resultIn(row, run),
  ...{ created_at: toTimestamp(row.created_at), updated_at: toTimestamp(row.updated_at) },
});

/** `all`: every eval of the agent. */
export function toAgentEvalRun(run: AgentEvalRunRow, all: readonly AgentEvalRow[]): AgentEvalRun {
  const results = all.flatMap((row) => resultIn(row, run) ?? []);
  const held = results.filter(({ holds }) => holds).length;
  const { id, agent_version, is_draft, agent, started_at } = run;
  return {
    ...{ id, agent_version, is_draft, agent, started_at: toTimestamp(started_at) },
    ...{ held, failed: results.length - held, waiting: all.length - results.length },
  };
}

const resultIn = ({ result, run_id }: AgentEvalRow, run: AgentEvalRunRow | undefined): AgentEvalResult | null =>
  run !== undefined && run_id === run.id ? result : null;
