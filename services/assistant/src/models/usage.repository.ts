import type { ModelUsage } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Usage } from './model.ts';

export type UsedCall = Usage & {
  /** Undefined: it was for no turn. */
  readonly turnId?: string;
  readonly agentId: string;
  readonly model: string;
  readonly failed: boolean;
  /** Undefined: its price or its tokens are not known. */
  readonly costMicros?: number | undefined;
};

/** Adds a call to the day, and to its turn if it has one, also when another attempt has the turn now: it was made. */
export async function addUsage(sql: TransactionSql, storeId: string, call: UsedCall): Promise<void> {
  const { turnId, agentId, model, failed, inputTokens, outputTokens, costMicros } = call;
  const [input, output, cost] = [inputTokens ?? null, outputTokens ?? null, costMicros ?? null];
  const ofDay = sql`
    insert into model_usage as used (store_id, day, agent_id, model, calls, failed_calls, input_tokens, output_tokens,
      cost_micros)
    values (${storeId}, (clock_timestamp() at time zone 'UTC')::date, ${agentId}, ${model}, 1, ${failed ? 1 : 0},
      coalesce(${input}::int, 0), coalesce(${output}::int, 0), ${cost}::bigint)
    on conflict (store_id, day, agent_id, model) do update
    set calls = used.calls + 1, failed_calls = used.failed_calls + excluded.failed_calls,
        input_tokens = used.input_tokens + excluded.input_tokens,
        output_tokens = used.output_tokens + excluded.output_tokens,
        cost_micros = coalesce(used.cost_micros + excluded.cost_micros, used.cost_micros, excluded.cost_micros)`;
  const isKnown = input !== null || output !== null || cost !== null;
  const ofTurn =
    turnId !== undefined &&
    isKnown &&
    sql`
    update ai_turns
    set input_tokens = coalesce(input_tokens + ${input}::int, input_tokens, ${input}::int),
        output_tokens = coalesce(output_tokens + ${output}::int, output_tokens, ${output}::int),
        cost_micros = coalesce(cost_micros + ${cost}::bigint, cost_micros, ${cost}::bigint)
    where store_id = ${storeId} and id = ${turnId}`;
  await Promise.all([ofDay, ofTurn]);
}

/** The query for what was used from one day to another, both inclusive. */
export const findUsage = (sql: Sql, storeId: string, { from, to }: { readonly from: string; readonly to: string }) =>
  sql<ModelUsage[]>`
    select to_char(day, 'YYYY-MM-DD') as day, agent_id, model, calls::float8 as calls,
      failed_calls::float8 as failed_calls, input_tokens::float8 as input_tokens,
      output_tokens::float8 as output_tokens, cost_micros / 1e6::float8 as cost
    from model_usage where store_id = ${storeId} and day between ${from}::date and ${to}::date
    order by model_usage.day desc, agent_id, model`;
