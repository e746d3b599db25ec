import { type AiBudget, type AiBudgetLimit, type AssistantSettings, toMicros } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { mostTokens as mostWrittenTokens } from '../models/sdk-model.ts';
import type { Use } from './model-call.repository.ts';
import type { DayLimits, DayRow, LockedDay, NearLimits } from './model-day.repository.ts';
import type { PriceList } from './price-list.ts';

/** More than a prompt has. */
const mostPromptTokens = 16_000;

/** What a call to a model may cost at most. 0: its price is not known. Pure. */
export const highestCost = (prices: PriceList | undefined, model: string, at: Date): number =>
  prices?.costOf(model, { inputTokens: mostPromptTokens, outputTokens: mostWrittenTokens }, at) ?? 0;

/** How many tokens a call to a model may read and write at most. The demo model is a part of the platform. Pure. */
export const highestTokens = (model: string): number => (model === 'demo' ? 0 : mostPromptTokens + mostWrittenTokens);

/** What a call to an embedder with these texts may cost at most. 0: its price is not known. Pure. */
export const highestCostOfTexts = (
  prices: PriceList | undefined,
  model: string,
  texts: readonly string[],
  at: Date,
): number => prices?.costOf(model, { inputTokens: texts.join('').length + texts.length }, at) ?? 0;

/** What a day of the store may have. Pure. */
export const limitsOf = ({ ai_daily_calls, ai_daily_budget, ai_daily_tokens }: AssistantSettings): DayLimits => ({
  mostCalls: ai_daily_calls,
  mostMicros: ai_daily_budget === null ? null : toMicros(ai_daily_budget),
  mostTokens: ai_daily_tokens,
});

const eightyPercentOf = (most: number): number => Math.ceil((most * 4) / 5);

/** Where 80 percent of each limit begin. Pure. */
export const nearOf = ({ mostCalls, mostMicros, mostTokens }: DayLimits): NearLimits => ({
  calls: eightyPercentOf(mostCalls),
  micros: mostMicros === null ? null : eightyPercentOf(mostMicros),
  tokens: mostTokens === null ? null : eightyPercentOf(mostTokens),
});

/** What an event tells of a day: 80 percent of a limit is used up, or a call does not fit. */
export type Reached = { readonly percent: 80 | 100; readonly limit: AiBudgetLimit };

/**
 * What is reached of the limits of a day. Calls count when they are made. Money and tokens count when their call has ended,
 * because before that they are the most that a call may take. `refused`: what a call that was refused may take. Pure.
 */
export function reachedOf(
  limits: DayLimits,
  {
    calls,
    cost_micros,
    tokens,
    settled_micros,
    settled_tokens,
  }: Pick<LockedDay, 'calls' | 'cost_micros' | 'tokens' | 'settled_micros' | 'settled_tokens'>,
  refused?: Use,
): Reached | undefined {
  const { mostCalls, mostMicros, mostTokens } = limits;
  if (refused) {
    if (calls >= mostCalls) return { percent: 100, limit: 'calls' };
    if (mostMicros !== null && cost_micros + refused.micros > mostMicros) return { percent: 100, limit: 'money' };
    if (mostTokens !== null && tokens + refused.tokens > mostTokens) return { percent: 100, limit: 'tokens' };
  }
  const near = nearOf(limits);
  if (calls >= near.calls) return { percent: 80, limit: 'calls' };
  if (near.micros !== null && settled_micros >= near.micros) return { percent: 80, limit: 'money' };
  if (near.tokens !== null && settled_tokens >= near.tokens) return { percent: 80, limit: 'tokens' };
  return undefined;
}

/** @throws AppError `validation_failed` for a budget in money that nothing can be counted in */
export function assertPrices(prices: PriceList | undefined, budget: number | null | undefined, pointer: string): void {
  if (budget == null || prices) return;
  throw validationFailed([{ pointer, detail: 'needs a price file: set MODEL_PRICES_FILE of assistant' }]);
}

export const toAiBudget = (
  { ai_daily_calls, ai_daily_budget, ai_daily_tokens }: AssistantSettings,
  { day, calls, cost_micros, tokens }: Omit<DayRow, 'reached_at'>,
  prices: Pick<PriceList, 'currency'> | undefined,
): Omit<AiBudget, 'reached_at'> => ({
  ...{ day, calls, most_calls: ai_daily_calls, spent: prices ? cost_micros / 1e6 : null },
  ...{ most_spent: ai_daily_budget, currency: prices?.currency ?? null },
  ...{ tokens, most_tokens: ai_daily_tokens },
});
