import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { countBudgetsUsedUp } from './budget.repository.ts';

const readLimitMs = 2_000;

export const budgetsUsedUp = {
  name: 'mostrador_message_budgets_used_up',
  type: 'gauge',
  help: 'Stores that have used up their budget for messages of this month, so that the AI, follow-ups and the API send nothing.',
  once: true,
} as const satisfies MetricDefinition;

export const budgetGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: [budgetsUsedUp],
  async read() {
    const stores = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, countBudgetsUsedUp);
    return [{ metric: budgetsUsedUp, value: stores }];
  },
});
