import { type AiBudget, type AiBudgetLimit, type AssistantSettings, toMicros } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { mostTokens } from '../models/sdk-model.ts';
import type { DayLimits, DayRow, LockedDay, NearLimits } from './model-day.repository.ts';
import type { PriceList } from './price-list.ts';

/** More than a prompt has. */
const mostPromptTokens = 16_000;

/** What a call to a model may cost at most. 0: its price is not known. Pure. */
export const highestCost = (prices: PriceList | undefined, model: string, at: Date): number =>
  prices?.costOf(model, { inputTokens: mostPromptTokens, outputTokens: mostTokens }, at) ?? 0;

/** What a call to an embedder with these texts may cost at most. 0: its price is not known. Pure. */
export const highestCostOfTexts = (
  prices: PriceList | undefined,
  model: string,
  texts: readonly string[],
  at: Date,
): number => prices?.costOf(model, { inputTokens: texts.join('').length + texts.length }, at) ?? 0;

/** What a day of the store may have. Pure. */
export const limitsOf = ({ ai_daily_calls, ai_daily_budget }: AssistantSettings): DayLimits => ({
  mostCalls: ai_daily_calls,
  mostMicros: ai_daily_budget === null ? null : toMicros(ai_daily_budget),
});

const eightyPercentOf = (most: number): number => Math.ceil((most * 4) / 5);

/** Where 80 percent of each limit begin. Pure. */
export const nearOf = ({ mostCalls, mostMicros }: DayLimits): NearLimits => ({
  calls: eightyPercentOf(mostCalls),
  micros: mostMicros === null ? null : eightyPercentOf(mostMicros),
});

/** What an event tells of a day: 80 percent of a limit is used up, or a call does not fit. */
export type Reached = { readonly percent: 80 | 100; readonly limit: AiBudgetLimit };

/**
 * What is reached of the limits of a day. Calls count when they are made. Money counts when its call has ended, because
 * before that it is the most that a call may cost. `refusedMicros`: what a call that was refused may cost. Pure.
 */
export function reachedOf(
  limits: DayLimits,
  { calls, cost_micros, settled_micros }: Pick<LockedDay, 'calls' | 'cost_micros' | 'settled_micros'>,
  refusedMicros?: number,
): Reached | undefined {
  const { mostCalls, mostMicros } = limits;
  if (refusedMicros !== undefined) {
    if (calls >= mostCalls) return { percent: 100, limit: 'calls' };
    if (mostMicros !== null && cost_micros + refusedMicros > mostMicros) return { percent: 100, limit: 'money' };
  }
  const near = nearOf(limits);
  if (calls >= near.calls) return { percent: 80, limit: 'calls' };
  if (near.micros !== null && settled_micros >= near.micros) return { percent: 80, limit: 'money' };
  return undefined;
}

/** @throws AppError `validation_failed` for a budget in money that nothing can be counted in */
export function assertPrices(prices: PriceList | undefined, budget: number | null | undefined, pointer: string): void {
  if (budget == null || prices) return;
  throw validationFailed([{ pointer, detail: 'needs a price file: set MODEL_PRICES_FILE of assistant' }]);
}

export const toAiBudget = (
  { ai_daily_calls, ai_daily_budget }: AssistantSettings,
  { day, calls, cost_micros }: Omit<DayRow, 'reached_at'>,
  prices: Pick<PriceList, 'currency'> | undefined,
): Omit<AiBudget, 'reached_at'> => ({
  ...{ day, calls, most_calls: ai_daily_calls, spent: prices ? cost_micros / 1e6 : null },
  ...{ most_spent: ai_daily_budget, currency: prices?.currency ?? null },
});
