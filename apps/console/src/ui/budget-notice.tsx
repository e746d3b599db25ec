import { useQuery } from '@tanstack/react-query';
import { aiQuery, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import styles from './budget-notice.module.css';

/** From this share of the budget on, the event `budget.reached` tells, too. */
const toldShare = 0.8;

/** Says that a budget of the store is used up, or that of its messages soon will be, and what stops then. */
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
  if (!budget || budget.spent < budget.amount * toldShare) return null;
  const isUsedUp = budget.spent >= budget.amount;
  return (
    <p role="status" className={styles.notice} data-kind={isUsedUp ? 'bad' : 'warn'}>
      {isUsedUp ? m.ui_budget_used_up() : m.ui_budget_nearly()}
    </p>
  );
}

function AiBudgetNotice() {
  const { data: ai } = useQuery(aiQuery);
  if (!ai?.ai || ai.budget.reached_at === null) return null;
  return (
    <p role="status" className={styles.notice} data-kind="bad">
      {m.ui_ai_budget_reached()}
    </p>
  );
}
