import { useQuery } from '@tanstack/react-query';
import { storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import styles from './budget-notice.module.css';

/** From this share of the budget on, the event `budget.reached` tells, too. */
const toldShare = 0.8;

/** Says that the messages of the month have used up their budget or soon will, and what stops then. */
export function BudgetNotice() {
  const { data: store } = useQuery(storeQuery);
  const budget = store?.message_budget;
  if (!budget || budget.spent < budget.amount * toldShare) return null;
  const isUsedUp = budget.spent >= budget.amount;
  return (
    <p role="status" className={styles.notice} data-kind={isUsedUp ? 'bad' : 'warn'}>
      {isUsedUp ? m.ui_budget_used_up() : m.ui_budget_nearly()}
    </p>
  );
}
