import type { Finding } from './finding.ts';

/** The stores that have used up their budget for messages of the month, the one with the lowest id as the example. */
export type BudgetsUsedUp = { readonly stores: number; readonly store_id: string | null };

/** Pure. */
export function judgeMessageBudgets({ stores, store_id }: BudgetsUsedUp): Finding[] {
  if (store_id === null) return [];
  const who = stores === 1 ? `The store ${store_id} has` : `${stores} stores have`;
  return [
    {
      severity: 'warning',
      what: `${who} used up the budget for messages of the month${stores === 1 ? '' : `, such as ${store_id}`}`,
      since: null,
      why: 'The AI, follow-ups and the API send nothing that does not fit. People of the store still can.',
      remedy:
        'Ask the store whether to raise it: `store update --monthly-budget`. It begins again with the next month, in UTC.',
    },
  ];
}
