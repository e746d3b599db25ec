import { randomUUID } from 'node:crypto';
import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { Dependencies } from '../dependencies.ts';
import { highestCost, highestTokens } from '../prices/budget.ts';
import { closeCall, type NewCall } from '../prices/model-call.repository.ts';
import { type CallReservation, settleCall } from '../prices/model-day.repository.ts';
import { reachBudget } from '../prices/reach-budget.ts';
import type { Decision, ModelRequest, Usage } from './model.ts';
import type { ConnectionRow } from './model-connection.repository.ts';
import { ModelFailure } from './model-failure.ts';
import type { CallResult } from './model-metrics.ts';
import { addUsage } from './usage.repository.ts';

type Call = {
  readonly scope: StoreScope;
  readonly connection: ConnectionRow;
  readonly agentId: string;
  /** Undefined: it is for no turn. */
  readonly turnId?: string;
  readonly timeoutMs: number;
  /** What the call has taken of its day. */
  readonly reserved: CallReservation;
  /** What `settle` writes beside what the call used. */
  readonly record?: (sql: TransactionSql, result: CallResult) => Promise<void>;
};

type Called = {
  readonly outcome: Decision | ModelFailure;
  readonly latencyMs: number;
  /** Keeps what the call used. */
  readonly settle: (sql: TransactionSql) => Promise<void>;
};

/** Failures of a provider that has not worked on the call. */
export const untaken: ReadonlySet<CallResult> = new Set(['rate_limited', 'unavailable', 'rejected']);

/** What usage and answers call a model: `<provider>/<model>`. */
export const modelName = ({ provider, model }: Pick<ConnectionRow, 'provider' | 'model'>): string =>
  model === null ? provider : `${provider}/${model}`;

/** A call that is about to be made, with the most that it may take of its day. */
export function newCall(
  prices: Dependencies['prices'],
  connection: ConnectionRow,
  of: Pick<NewCall, 'agentId' | 'turnId'>,
): NewCall {
  const model = modelName(connection);
  const tokens = highestTokens(model);
  return { id: randomUUID(), model, micros: highestCost(prices, model, new Date()), tokens, ...of };
}

/** Calls a model once, and counts the call. */
export async function callModel(
  { openModel, onModelCall, prices }: Pick<Dependencies, 'openModel' | 'onModelCall' | 'prices'>,
  request: ModelRequest,
  { scope, connection, agentId, turnId, timeoutMs, reserved, record }: Call,
): Promise<Called> {
  const { storeId } = scope;
  const begunAt = performance.now();
  let usage: Usage = {};
  const onUsage = (used: Usage) => {
    usage = used;
  };
  const outcome = await answerOf(() => openModel(storeId, connection).answer(request, { timeoutMs, onUsage }));
  const latencyMs = Math.round(performance.now() - begunAt);
  const result = outcome instanceof ModelFailure ? outcome.kind : 'answered';
  const { inputTokens, outputTokens } = usage;
  onModelCall({ provider: connection.provider, result, latencyMs, inputTokens, outputTokens });
  const model = modelName(connection);
  const told = prices?.costOf(model, usage, new Date());
  // A call that the provider did not take costs nothing. One that tells no tokens keeps what it has taken.
  const charged = told ?? (untaken.has(result) ? 0 : reserved.micros);
  const toldTokens = inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens;
  const tokens = toldTokens ?? (untaken.has(result) ? 0 : reserved.tokens);
  const costMicros = told ?? (charged > 0 ? charged : undefined);
  const used = {
    ...{ agentId, model, failed: result !== 'answered', inputTokens, outputTokens, costMicros },
    ...(turnId !== undefined && { turnId }),
  };
  const settle = async (sql: TransactionSql) => {
    // After a long standstill it is counted already, as one whose process has died.
    const counts = await closeCall(sql, storeId, reserved.callId);
    const [, settled] = await Promise.all([
      counts && addUsage(sql, storeId, used),
      counts && (charged !== reserved.micros || tokens !== reserved.tokens)
        ? settleCall(sql, storeId, reserved, { micros: charged, tokens })
        : [],
      record?.(sql, result),
    ]);
    // One that took what it had reserved has not updated the day, and counts only now that it has ended.
    if (counts && (charged > 0 || tokens > 0) && (settled[0]?.mayReach ?? true))
      await reachBudget(sql, storeId, prices);
  };
  return { outcome, latencyMs, settle };
}

async function answerOf(answer: () => Promise<Decision>): Promise<Decision | ModelFailure> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ModelFailure) return error;
    throw error;
  }
}
