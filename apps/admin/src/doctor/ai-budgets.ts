import { type Finding, toTime } from './finding.ts';

/** Stores whose AI hands every customer to a person until the next day. Pure. */
export const judgeAiBudgets = ({
  stores,
  since,
}: {
  readonly stores: number;
  readonly since: Date | null;
}): Finding[] =>
  stores === 0
    ? []
    : [
        {
          severity: 'note',
          what: `The AI of ${stores === 1 ? '1 store has' : `${stores} stores have`} used up its calls or its money for today. People answer`,
          since: toTime(since),
          why: 'The daily limits of a store stop its AI until the next day in UTC.',
          remedy: '`ai show` has what was used. `store update --ai-daily-calls` and `--ai-daily-budget` raise it.',
        },
      ];
