import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { LeaderGauges } from '@mostrador/kit/process/leader-gauges';
import type { MetricDefinition } from '@mostrador/kit/process/metrics';
import { countFailedByCode, oldestOpenSeconds } from './inbound.repository.ts';

const readLimitMs = 2_000;

export const inboundMetrics = {
  failed: {
    name: 'mostrador_inbound_failed_payloads',
    type: 'gauge',
    help: 'Kept webhook payloads of all stores that could not be processed completely, by error code. Look at each.',
    labels: { code: 'the error' },
    once: true,
  },
  oldest: {
    name: 'mostrador_inbound_oldest_seconds',
    type: 'gauge',
    help: 'How long the oldest webhook payload of a channel has waited to be processed, without past conversations. 0: none waits.',
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

/** How long payloads wait, and how many were given up and are kept, so something that a customer wrote may be missing. */
export const inboundGauges = (systemDatabase: SystemDatabase): LeaderGauges => ({
  metrics: Object.values(inboundMetrics),
  async read() {
    const scope = { deadline: Date.now() + readLimitMs };
    const [failed, oldest] = await systemDatabase.read(scope, (sql) =>
      Promise.all([countFailedByCode(sql), oldestOpenSeconds(sql)]),
    );
    return [
      ...failed.map(({ code, count }) => ({ metric: inboundMetrics.failed, labels: { code }, value: count })),
      { metric: inboundMetrics.oldest, value: oldest },
    ];
  },
});
