import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { CallRow, NewCall, ToolOutput } from './step.ts';

const callColumns = (sql: Sql) => sql`turn_id, n, call, call_id, tool, input, output, begun_at, hold_id, held_until`;

/** The number of model calls that a turn has had. */
export async function countModelCalls(sql: Sql, storeId: string, turnId: string): Promise<number> {
  const [row] = await sql<[{ calls: number }]>`
    select count(*)::int as calls from ai_steps where store_id = ${storeId} and turn_id = ${turnId} and kind = 'model'`;
  return row.calls;
}

/** The tool calls of a turn and of the superseded turns before it, in order. */
export const listCalls = (sql: Sql, storeId: string, turnId: string) =>
  sql<CallRow[]>`
    with recursive chain as (
      select id, continues, 0 as back from ai_turns where store_id = ${storeId} and id = ${turnId}
      union all
      select turn.id, turn.continues, back + 1
      from chain join ai_turns turn on turn.store_id = ${storeId} and turn.id = chain.continues
    )
    select ${callColumns(sql)} from ai_steps join chain on chain.id = turn_id
    where store_id = ${storeId} and kind = 'tool'
    order by back desc, n, call`;

/** Of these calls, those that have ended. */
export async function listResults(sql: Sql, storeId: string, turnId: string): Promise<Ended[]> {
  const calls = await listCalls(sql, storeId, turnId);
  return calls.filter((call): call is Ended => call.output !== null);
}

type Ended = CallRow & { readonly output: ToolOutput };

/** The tool calls of a turn that have not ended, in order. */
export const listOpenCalls = (sql: Sql, storeId: string, turnId: string) =>
  sql<CallRow[]>`
    select ${callColumns(sql)} from ai_steps
    where store_id = ${storeId} and turn_id = ${turnId} and kind = 'tool' and output is null
    order by n, call`;

/** The calls for which a person is asked and whose time is held for the lead. */
export const listHeld = (sql: Sql, storeId: string, leadId: string) =>
  sql<(CallRow & { readonly hold_id: string; readonly held_until: Date })[]>`
    select ${callColumns(sql)} from ai_steps
    where store_id = ${storeId} and output is null and held_until > clock_timestamp()
      and turn_id in (select id from ai_turns where store_id = ${storeId} and asked_lead_id = ${leadId})`;

/** The tool calls of the last answers of the model in these turns, in order. */
export const listLastCalls = (sql: Sql, storeId: string, turnIds: readonly string[]) =>
  sql<CallRow[]>`
    select ${callColumns(sql)} from unnest(${[...turnIds]}::uuid[]) as asking (id)
    join lateral (
      select ${callColumns(sql)}, max(n) over () as last from ai_steps
      where store_id = ${storeId} and turn_id = asking.id and kind = 'tool') of_turn on n = last
    order by n, call`;

/** A model call, from 1 in each turn, with the tool calls that it asked for. */
export type NewStep = { readonly n: number; readonly action: string; readonly calls: readonly NewCall[] };

/** Writes a model call with the commit. */
export function insertStep(sql: TransactionSql, storeId: string, turnId: string, { n, action, calls }: NewStep): void {
  const rows = calls.map(({ call_id, tool, input, output, hold_id = null, held_until = null }, index) => ({
    ...{ store_id: storeId, turn_id: turnId, n, call: index + 1, kind: 'tool', call_id, tool },
    ...{ input: sql.json(input as never), output: output && sql.json(output as never), hold_id, held_until },
  }));
  sql.withCommit(sql`
    insert into ai_steps (store_id, turn_id, n, kind, output)
    values (${storeId}, ${turnId}, ${n}, 'model', ${sql.json({ action })})`);
  if (rows.length > 0) sql.withCommit(sql`insert into ai_steps ${sql(rows)}`);
}

/** From here on the effect of the call may exist. */
export const markBegun = (sql: TransactionSql, storeId: string, { turn_id, n, call }: CallRow) =>
  sql`
    update ai_steps set begun_at = coalesce(begun_at, clock_timestamp())
    where store_id = ${storeId} and turn_id = ${turn_id} and n = ${n} and call = ${call}`;

/** The call has certainly had no effect, so it has not begun. */
export const markNotBegun = (sql: TransactionSql, storeId: string, { turn_id, n, call }: CallRow) =>
  sql`
    update ai_steps set begun_at = null
    where store_id = ${storeId} and turn_id = ${turn_id} and n = ${n} and call = ${call} and output is null`;

export const saveOutput = (sql: TransactionSql, storeId: string, { turn_id, n, call }: CallRow, output: ToolOutput) =>
  sql`
    update ai_steps set output = ${sql.json(output as never)}
    where store_id = ${storeId} and turn_id = ${turn_id} and n = ${n} and call = ${call} and output is null`;

/** Ends the open calls of a turn. */
export const endCalls = (sql: TransactionSql, storeId: string, turnId: string, error: string) =>
  sql<CallRow[]>`
    update ai_steps set output = ${sql.json({ error })}
    where store_id = ${storeId} and turn_id = ${turnId} and kind = 'tool' and output is null
    returning ${callColumns(sql)}`;

/** Ends the calls of a turn that have not begun, and the given one. */
export const skipCalls = (sql: TransactionSql, storeId: string, call: CallRow, error: string) =>
  sql`
    update ai_steps set output = ${sql.json({ error })}
    where store_id = ${storeId} and turn_id = ${call.turn_id} and kind = 'tool' and output is null
      and (begun_at is null or (n, call) = (${call.n}, ${call.call}))`;
