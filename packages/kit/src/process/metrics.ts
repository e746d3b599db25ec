import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of a process, in Prometheus' text format. */
export type Metrics = {
  readonly registry: Registry;
  readonly contentType: string;
  text(): Promise<string>;
};

/** A registry with the process's own metrics (memory, event loop, garbage collection), labelled with the service. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}
