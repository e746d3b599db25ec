import type { StoreAi } from '../api/platform.ts';

/** From this share of a budget on, the console warns. For messages the event `budget.reached` tells, too. */
export const toldShare = 0.8;

type Day = Pick<StoreAi['budget'], 'calls' | 'most_calls' | 'spent' | 'most_spent' | 'reached_at'>;

/** How far the AI has used up its day: its calls, or its money where it has a limit. Pure. */
export function useOfDay({ calls, most_calls, spent, most_spent, reached_at }: Day): 'little' | 'nearly' | 'all' {
  if (reached_at !== null) return 'all';
  const isNear = (used: number, most: number) => used >= most * toldShare;
  const nearMoney = spent !== null && most_spent !== null && isNear(spent, most_spent);
  return isNear(calls, most_calls) || nearMoney ? 'nearly' : 'little';
}
