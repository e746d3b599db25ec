import { type Finding, type FoundStore, judgeStores } from './finding.ts';

/** A finding for each store that has used up its budget for messages of the month. Pure. */
export const judgeMessageBudgets = (usedUp: readonly FoundStore[]): Finding[] =>
  judgeStores(
    usedUp,
    () => ({
      severity: 'warning',
      since: null,
      why: 'The AI, follow-ups and the API send nothing that does not fit. People of the store still can.',
      remedy:
        'Ask the store whether to raise it: `store update --monthly-budget`. It begins again with the next month, in UTC.',
    }),
    (stores) => `The budget of ${stores} for messages of the month is used up`,
  );
