import type { AgentEvalResult } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { AgentEvalContent, AgentEvalRow, AgentEvalRunRow } from './agent-eval.ts';

/** The evals of an agent in the order of creation. */
export const listEvals = (sql: Sql, storeId: string, agentId: string) =>
  sql<AgentEvalRow[]>`
    select * from agent_evals where store_id = ${storeId} and agent_id = ${agentId} order by created_at, id`;

/** The query for the last run of an agent's evals: one row, or none. */
export const findRun = (sql: Sql, storeId: string, agentId: string) =>
  sql<AgentEvalRunRow[]>`select * from agent_eval_runs where store_id = ${storeId} and agent_id = ${agentId}`;

/** How many evals an agent has. No other one is created until the transaction ends. */
export async function countForCreation(sql: TransactionSql, storeId: string, agentId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`agent evals ${storeId} ${agentId}`}, 0))`;
  const [row] = await sql<[{ total: number }]>`
    select count(*)::int as total from agent_evals where store_id = ${storeId} and agent_id = ${agentId}`;
  return row.total;
}

export async function insertEval(
  sql: TransactionSql,
  storeId: string,
  agentId: string,
  { text, conversation, expects }: AgentEvalContent,
): Promise<AgentEvalRow> {
  const [row] = await sql<AgentEvalRow[]>`
    insert into agent_evals (store_id, agent_id, text, conversation, expects)
    values (${storeId}, ${agentId}, ${text}, ${sql.json(conversation as never)}, ${sql.json(expects as never)})
    returning *`;
  return row as AgentEvalRow;
}

/** Writes the given members, and removes the result. Undefined: the agent has no such eval. */
export async function saveEval(
  sql: TransactionSql,
  storeId: string,
  { agentId, evalId }: { readonly agentId: string; readonly evalId: string },
  { text, conversation, expects }: Partial<AgentEvalContent>,
): Promise<AgentEvalRow | undefined> {
  const [row] = await sql<AgentEvalRow[]>`
    update agent_evals
    set text = coalesce(${text ?? null}, text),
        conversation = coalesce(${conversation ? sql.json(conversation as never) : null}, conversation),
        expects = coalesce(${expects ? sql.json(expects as never) : null}, expects),
        result = null, run_id = null, version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and agent_id = ${agentId} and id = ${evalId}
    returning *`;
  return row;
}

/** Whether the agent had such an eval. */
export async function deleteEval(
  sql: TransactionSql,
  storeId: string,
  { agentId, evalId }: { readonly agentId: string; readonly evalId: string },
): Promise<boolean> {
  const { count } = await sql`
    delete from agent_evals where store_id = ${storeId} and agent_id = ${agentId} and id = ${evalId}`;
  return count > 0;
}

/** Replaces the last run of an agent. */
export async function saveRun(
  sql: TransactionSql,
  storeId: string,
  { agent_id, id, agent_version, is_draft, agent }: Omit<AgentEvalRunRow, 'started_at'>,
): Promise<void> {
  await sql`
    insert into agent_eval_runs (store_id, agent_id, id, agent_version, is_draft, agent)
    values (${storeId}, ${agent_id}, ${id}, ${agent_version}, ${is_draft}, ${sql.json(agent as never)})
    on conflict (store_id, agent_id) do update
    set id = excluded.id, agent_version = excluded.agent_version, is_draft = excluded.is_draft, agent = excluded.agent,
        started_at = excluded.started_at`;
}

/** Locks the last run of an agent if it is this one, and says so. */
export async function lockRun(sql: TransactionSql, storeId: string, agentId: string, runId: string): Promise<boolean> {
  const { count } = await sql`
    select from agent_eval_runs where store_id = ${storeId} and agent_id = ${agentId} and id = ${runId} for update`;
  return count > 0;
}

/** Writes the result of an eval, unless it was changed or deleted since it was read. */
export const saveResult = (
  sql: TransactionSql,
  storeId: string,
  { id, version }: Pick<AgentEvalRow, 'id' | 'version'>,
  { runId, result }: { readonly runId: string; readonly result: AgentEvalResult },
) =>
  sql`
    update agent_evals set result = ${sql.json(result as never)}, run_id = ${runId}
    where store_id = ${storeId} and id = ${id} and version = ${version}`;
