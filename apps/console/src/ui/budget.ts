import type { StoreAi } from '../api/platform.ts';

/**
 * Whether 80 percent of a budget is used up, to a millionth: then the console warns, and the events `budget.reached` and
 * `assistant.budget_reached` tell. Pure.
 */
export const isNear = (used: number, most: number): boolean => Math.round(used * 5e6) >= Math.round(most * 4e6);

type Day = Pick<
  StoreAi['budget'],
  'calls' | 'most_calls' | 'spent' | 'most_spent' | 'tokens' | 'most_tokens' | 'reached_at'
>;

/** How far the AI has used up its day: its calls, or its money or its tokens where they have a limit. Pure. */
export function useOfDay({ reached_at, ...used }: Day): 'little' | 'nearly' | 'all' {
  if (reached_at !== null) return 'all';
  const { calls, most_calls, spent, most_spent, tokens, most_tokens } = used;
  const nearMoney = spent !== null && most_spent !== null && isNear(spent, most_spent);
  const nearTokens = most_tokens !== null && isNear(tokens, most_tokens);
  return isNear(calls, most_calls) || nearMoney || nearTokens ? 'nearly' : 'little';
}
