import { type Finding, type FoundStore, judgeStores, toTime } from './finding.ts';

/** A store that has used up what its AI may use today, and since when. */
export type AiBudgetReached = FoundStore & { readonly since: Date };

/** Stores whose AI hands every customer to a person until the next day: a finding each. Pure. */
export const judgeAiBudgets = (reached: readonly AiBudgetReached[]): Finding[] =>
  judgeStores(
    reached,
    ({ since }) => ({
      severity: 'note',
      since: toTime(since),
      why: 'The daily limits of a store stop its AI until the next day in UTC.',
      remedy:
        '`ai show` has what was used. `store update --ai-daily-calls`, `--ai-daily-budget` and `--ai-daily-tokens` raise it.',
    }),
    (stores) => `The AI of ${stores} has used up its calls, money or tokens for today. People answer`,
  );
