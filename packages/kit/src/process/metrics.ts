import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { build } from './build.ts';

/** The metrics of a process, in Prometheus' text format. */
export type Metrics = {
  readonly registry: Registry;
  readonly contentType: string;
  text(): Promise<string>;
};

/**
 * A metric of the platform: `docs/reference/metrics.md` comes from these. No label has the id of a store, a person's data
 * or an unlimited number of values.
 */
export type MetricDefinition = {
  readonly name: `mostrador_${string}`;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What is measured and in which unit, and what a value means. */
  readonly help: string;
  /** The labels, and the values of each in words. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The upper limits of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** It is about the rows of all stores: one process of the service exports it, the others have no value. */
  readonly once?: true;
};

/** The buckets of a duration in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/**
 * How often the delay of the event loop is measured, and so the least value of `nodejs_eventloop_lag_*`. Every 10 ms, as
 * by default, takes half a percent of a core in each process.
 */
const eventLoopEveryMs = 200;

/** Where a metric is registered. */
export type Registered = Pick<Metrics, 'registry'>;

const settingsOf = ({ registry }: Registered, { name, help, labels = {} }: MetricDefinition) => ({
  ...{ name, help },
  labelNames: Object.keys(labels),
  registers: [registry],
});

/** Registers a counter. */
export const counter = (metrics: Registered, definition: MetricDefinition & { readonly type: 'counter' }) =>
  new Counter(settingsOf(metrics, definition));

/** Registers a gauge. `collect` sets its values at each scrape, mostly from what the process has in memory. */
export const gauge = (
  metrics: Registered,
  definition: MetricDefinition & { readonly type: 'gauge' },
  collect?: (gauge: Gauge) => void | Promise<void>,
): Gauge =>
  new Gauge({
    ...settingsOf(metrics, definition),
    ...(collect && {
      collect() {
        return collect(this);
      },
    }),
  });

/** Registers a histogram. */
export const histogram = (
  metrics: Registered,
  { buckets = durationBuckets, ...definition }: MetricDefinition & { readonly type: 'histogram' },
) => new Histogram({ ...settingsOf(metrics, definition), buckets: [...buckets] });

/** A registry with the process's own metrics (build, memory, event loop, garbage collection), labelled with the service. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopEveryMs });
  new Gauge({
    name: 'mostrador_build_info',
    help: 'Always 1. The labels are the version and the revision that the process runs.',
    labelNames: ['version', 'revision'],
    registers: [registry],
  }).set({ ...build() }, 1);
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}
