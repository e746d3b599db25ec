import { useQuery } from '@tanstack/react-query';
import { aiQuery, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { isNear, useOfDay } from './budget.ts';
import styles from './budget-notice.module.css';

/** Says that a budget of the store is used up, or soon will be, and what stops then. */
export function BudgetNotice() {
  return (
    <>
      <MessageBudgetNotice />
      <AiBudgetNotice />
    </>
  );
}

function MessageBudgetNotice() {
  const { data: store } = useQuery(storeQuery);
  const budget = store?.message_budget;
  if (!budget || !isNear(budget.spent, budget.amount)) return null;
  const isUsedUp = budget.spent >= budget.amount;
  return (
    <p role="status" className={styles.notice} data-kind={isUsedUp ? 'bad' : 'warn'}>
      {isUsedUp ? m.ui_budget_used_up() : m.ui_budget_nearly()}
    </p>
  );
}

function AiBudgetNotice() {
  const { data: ai } = useQuery(aiQuery);
  const use = ai?.ai ? useOfDay(ai.budget) : 'little';
  if (use === 'little') return null;
  return (
    <p role="status" className={styles.notice} data-kind={use === 'all' ? 'bad' : 'warn'}>
      {use === 'all' ? m.ui_ai_budget_reached() : m.ui_ai_budget_nearly()}
    </p>
  );
}
