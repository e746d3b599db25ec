import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { build } from './build.ts';

/** The metrics of a process, in Prometheus' text format. */
export type Metrics = {
  readonly registry: Registry;
  readonly contentType: string;
  text(): Promise<string>;
};

/** A registry with the process's own metrics (build, memory, event loop, garbage collection), labelled with the service. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'mostrador_build_info',
    help: 'Always 1. The labels are the version and the revision that the process runs.',
    labelNames: ['version', 'revision'],
    registers: [registry],
  }).set({ ...build() }, 1);
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}
