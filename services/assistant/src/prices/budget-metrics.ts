import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { countReached } from './model-day.repository.ts';

const readLimitMs = 2_000;

export const budgetsReached = {
  name: 'mostrador_ai_budgets_reached',
  type: 'gauge',
  once: true,
  help: 'Stores whose calls to models, or whose money for them, are used up for today in UTC. People answer their customers.',
} as const satisfies MetricDefinition;

export const budgetGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: [budgetsReached],
  async read() {
    const [{ stores }] = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, countReached);
    return [{ metric: budgetsReached, value: stores }];
  },
});
