import { type AiBudget, type AssistantSettings, toMicros } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { mostTokens } from '../models/sdk-model.ts';
import type { DayLimits, DayRow } from './model-day.repository.ts';
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

/** @throws AppError `validation_failed` for a budget in money that nothing can be counted in */
export function assertPrices(prices: PriceList | undefined, budget: number | null | undefined, pointer: string): void {
  if (budget == null || prices) return;
  throw validationFailed([{ pointer, detail: 'needs a price file: set MODEL_PRICES_FILE of assistant' }]);
}

export const toAiBudget = (
  { ai_daily_calls, ai_daily_budget }: AssistantSettings,
  { day, calls, cost_micros, reached_at }: DayRow,
  prices: Pick<PriceList, 'currency'> | undefined,
): AiBudget => ({
  ...{ day, calls, most_calls: ai_daily_calls, spent: prices ? cost_micros / 1e6 : null },
  ...{ most_spent: ai_daily_budget, currency: prices?.currency ?? null },
  reached_at: reached_at && toTimestamp(reached_at),
});
