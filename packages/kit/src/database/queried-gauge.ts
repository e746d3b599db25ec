import type { GaugeDefinition, LeaderGauges } from '../process/leader-gauges.ts';
import type { Sql, SystemDatabase } from './database.ts';

const readLimitMs = 2_000;

/** A gauge of the leader whose value one query over all stores reads. */
export const queriedGauge = (
  systemDatabase: SystemDatabase,
  metric: GaugeDefinition,
  query: (sql: Sql) => Promise<number>,
): LeaderGauges => ({
  metrics: [metric],
  read: async () => [{ metric, value: await systemDatabase.read({ deadline: Date.now() + readLimitMs }, query) }],
});
