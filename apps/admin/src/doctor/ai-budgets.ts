import { type Finding, toTime } from './finding.ts';

/** A store that has used up what its AI may use today, and since when. */
export type AiBudgetReached = { readonly store_id: string; readonly since: Date };

/** Stores whose AI hands every customer to a person until the next day: a finding each. Pure. */
export const judgeAiBudgets = (reached: readonly AiBudgetReached[]): Finding[] =>
  reached.map(({ store_id, since }) => ({
    severity: 'note',
    what: `The AI of the store ${store_id} has used up its calls or its money for today. People answer`,
    since: toTime(since),
    why: 'The daily limits of a store stop its AI until the next day in UTC.',
    remedy:
      '`ai show` has what was used. `store update --ai-daily-calls`, `--ai-daily-budget` and `--ai-daily-tokens` raise it.',
  }));
