import type { SystemDatabase } from '../database/database.ts';
import type { LeaderGauges } from '../process/leader-gauges.ts';
import { histogram, type MetricDefinition, type Registered } from '../process/metrics.ts';
import { circuitRepository } from './provider-circuit.repository.ts';

export const providerMetrics = {
  open: {
    name: 'mostrador_provider_circuits_open',
    type: 'gauge',
    help: 'Origins of providers that are not called because they fail, at most 100. The log names each.',
    once: true,
  },
  calls: {
    name: 'mostrador_provider_call_seconds',
    type: 'histogram',
    help: 'Calls to providers of channels and calendars: how long they took, and how they ended.',
    labels: {
      provider: 'such as `whatsapp_cloud`, `caldav`, `google`',
      outcome: '`ok`, or the code of the error; `other` beyond 60 codes',
    },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
} as const satisfies Record<string, MetricDefinition>;

const mostCounted = 100;

/** The number of origins with an open circuit. Their names may be those of people, so no label has them. */
export const circuitGauges = (database: SystemDatabase): LeaderGauges => ({
  metrics: [providerMetrics.open],
  read: async () => [
    { metric: providerMetrics.open, value: (await circuitRepository(database).listOpen(mostCounted)).length },
  ],
});

const mostOutcomes = 60;

/** Makes calls and exports how they end. A code may come from a provider, so the number of codes is limited. */
export function observeCalls(metrics: Registered | undefined) {
  const calls = metrics && histogram(metrics, providerMetrics.calls);
  const seen = new Set<string>();
  return async <T>(provider: string, call: () => Promise<T>): Promise<T> => {
    const sinceMs = performance.now();
    const observe = (code: string) => {
      if (seen.size < mostOutcomes) seen.add(code);
      const outcome = seen.has(code) ? code : 'other';
      calls?.observe({ provider, outcome }, (performance.now() - sinceMs) / 1000);
    };
    try {
      const result = await call();
      observe('ok');
      return result;
    } catch (error) {
      const { code } = error as { code?: unknown };
      observe(typeof code === 'string' ? code : 'failed');
      throw error;
    }
  };
}
