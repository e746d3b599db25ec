import type { SystemDatabase } from '@mostrador/kit/database/database';
import { queriedGauge } from '@mostrador/kit/database/queried-gauge';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { countReached } from './model-day.repository.ts';

export const budgetsReached = {
  name: 'mostrador_ai_budgets_reached',
  type: 'gauge',
  once: true,
  help: 'Stores whose calls to models, or whose money or tokens for them, are used up for today in UTC. People answer their customers.',
} as const satisfies MetricDefinition;

export const budgetGauges = (systemDatabase: SystemDatabase) =>
  queriedGauge(systemDatabase, budgetsReached, countReached);
