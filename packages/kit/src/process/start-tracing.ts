import type { Static, TObject } from '@sinclair/typebox';
import type { tracingConfig } from './config.ts';
import type { Log } from './log.ts';
import type { Tracing } from './tracing.ts';

/** What the traces of a process are configured by. */
export type TracingConfig = Static<TObject<typeof tracingConfig>>;

/** The traces of this process. Undefined, and nothing is loaded, without an address for them. */
export async function startTracing(service: string, config: TracingConfig, log: Log): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return undefined;
  // Loaded on demand: it takes 0.2 s and up to 20 MB.
  const { createTracing } = await import('./tracing-sdk.ts');
  return createTracing({
    service: config.OTEL_SERVICE_NAME ?? service,
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    caFile: config.OTEL_EXPORTER_OTLP_CERTIFICATE,
    ratio: sampledRatio(config),
    log,
  });
}

/** The share of the traces that are recorded, from 0 to 1. */
export function sampledRatio(config: Pick<TracingConfig, 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>): number {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  if (sampler.endsWith('always_on')) return 1;
  return sampler.endsWith('always_off') ? 0 : ratio;
}
