import type { Finding } from './finding.ts';

/** A store that has used up its budget for messages of the month. */
export type BudgetUsedUp = { readonly store_id: string };

/** A finding for each store. Pure. */
export const judgeMessageBudgets = (usedUp: readonly BudgetUsedUp[]): Finding[] =>
  usedUp.map(({ store_id }) => ({
    severity: 'warning',
    what: `The store ${store_id} has used up the budget for messages of the month`,
    since: null,
    why: 'The AI, follow-ups and the API send nothing that does not fit. People of the store still can.',
    remedy:
      'Ask the store whether to raise it: `store update --monthly-budget`. It begins again with the next month, in UTC.',
  }));
