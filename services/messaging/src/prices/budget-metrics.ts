import type { SystemDatabase } from '@mostrador/kit/database/database';
import { queriedGauge } from '@mostrador/kit/database/queried-gauge';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { countBudgetsUsedUp } from './budget.repository.ts';

export const budgetsUsedUp = {
  name: 'mostrador_message_budgets_used_up',
  type: 'gauge',
  help: 'Stores that have used up their budget for messages of this month, so that the AI, follow-ups and the API send nothing.',
  once: true,
} as const satisfies MetricDefinition;

export const budgetGauges = (systemDatabase: SystemDatabase) =>
  queriedGauge(systemDatabase, budgetsUsedUp, countBudgetsUsedUp);
