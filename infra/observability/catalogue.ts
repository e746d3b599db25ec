import { certificateExpiry } from '../../packages/kit/src/process/certificates.ts';
import { clockSkew } from '../../packages/kit/src/process/clock.ts';
import { dependencyUp, processReady } from '../../packages/kit/src/process/health-server.ts';
import { leader } from '../../packages/kit/src/process/leader-gauges.ts';
import { createMetrics, type MetricDefinition } from '../../packages/kit/src/process/metrics.ts';
import { providerMetrics } from '../../packages/kit/src/resilience/provider-metrics.ts';
import { rpcMetrics } from '../../packages/kit/src/rpc/observe.ts';
import { databaseMetrics, feedBacklogMetrics, outboxMetrics } from '../../packages/kit/src/service/service-metrics.ts';
import { taskQueueMetrics } from '../../packages/kit/src/service/task-queues.ts';
import { overdueMetrics } from '../../packages/kit/src/step/overdue.ts';
import { type ProcessName, processNames, serviceNames } from '../../packages/platform/src/processes.ts';
import { modelMetrics } from '../../services/assistant/src/models/model-metrics.ts';
import { budgetsReached } from '../../services/assistant/src/prices/budget-metrics.ts';
import { partitionDays } from '../../services/events/src/metrics.ts';
import { webhookMetrics } from '../../services/events/src/webhooks/webhook-metrics.ts';
import { webhookBytes } from '../../services/gateway/src/api/webhook-bytes.ts';
import { feedFollowers } from '../../services/gateway/src/events/followers.ts';
import { runningExports } from '../../services/gateway/src/exports/running-exports.ts';
import { httpMetrics } from '../../services/gateway/src/plugins/access-log.ts';
import { connectionMetrics } from '../../services/gateway/src/plugins/connection-limit.ts';
import { deliveryMetrics } from '../../services/messaging/src/delivery/delivery-metrics.ts';
import { inboundMetrics } from '../../services/messaging/src/inbound/inbound-metrics.ts';
import { budgetsUsedUp } from '../../services/messaging/src/prices/budget-metrics.ts';
import { oldestSync } from '../../services/scheduling/src/calendar-sync/sync-metrics.ts';
import { googleMetrics } from '../../services/scheduling/src/calendars/google/quota.ts';
import { workerMetrics } from '../../workflows/src/worker-metrics.ts';

/** Metrics of the platform, and the processes that export them. */
export type Section = {
  readonly title: string;
  readonly processes: readonly ProcessName[];
  readonly metrics: readonly MetricDefinition[];
};

const withEvents = ['crm', 'scheduling', 'messaging', 'assistant'] as const;

/** Every metric that our code defines. A test finds one that is missing here. */
export const sections: readonly Section[] = [
  {
    title: 'HTTP',
    processes: ['gateway'],
    metrics: [...Object.values(httpMetrics), ...Object.values(connectionMetrics)],
  },
  {
    title: 'Other work of the gateway',
    processes: ['gateway'],
    metrics: [feedFollowers, runningExports, webhookBytes],
  },
  { title: 'Requests over NATS', processes: serviceNames, metrics: Object.values(rpcMetrics) },
  { title: 'Health', processes: processNames, metrics: [processReady, dependencyUp, certificateExpiry] },
  { title: 'Clock', processes: ['gateway', ...serviceNames], metrics: [clockSkew] },
  { title: 'PostgreSQL', processes: ['gateway', ...serviceNames], metrics: Object.values(databaseMetrics) },
  { title: 'Outbox', processes: serviceNames, metrics: [leader, ...Object.values(outboxMetrics)] },
  { title: 'Events for the feed', processes: withEvents, metrics: Object.values(feedBacklogMetrics) },
  {
    title: 'Due work',
    processes: ['scheduling', 'messaging', 'events', 'assistant'],
    metrics: Object.values(overdueMetrics),
  },
  {
    title: 'Messages',
    processes: ['messaging'],
    metrics: [...Object.values(deliveryMetrics), ...Object.values(inboundMetrics), budgetsUsedUp],
  },
  { title: 'Calendars', processes: ['scheduling'], metrics: [oldestSync, ...Object.values(googleMetrics)] },
  { title: 'Feed and webhooks', processes: ['events'], metrics: [partitionDays, ...Object.values(webhookMetrics)] },
  { title: 'Models', processes: ['assistant'], metrics: [...Object.values(modelMetrics), budgetsReached] },
  { title: 'Providers', processes: ['scheduling', 'messaging'], metrics: Object.values(providerMetrics) },
  { title: 'Task queues of Temporal', processes: ['scheduling'], metrics: Object.values(taskQueueMetrics) },
  { title: 'The worker', processes: ['workflows'], metrics: Object.values(workerMetrics) },
];

/** What prom-client tells of a registered metric. */
export type RuntimeMetric = {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
};

/** The metrics that every process has from its start: memory, processor, event loop, garbage collection. */
export const runtimeMetrics = (): readonly RuntimeMetric[] =>
  createMetrics('reference').registry.getMetricsAsArray() as unknown as RuntimeMetric[];

/** The names under which Prometheus stores the metrics: a histogram has three. */
export function seriesNames(): ReadonlySet<string> {
  const all: { readonly name: string; readonly type: string }[] = [
    ...sections.flatMap(({ metrics }) => metrics),
    ...runtimeMetrics(),
  ];
  return new Set(
    all.flatMap(({ name, type }) =>
      ['histogram', 'summary'].includes(type) ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}
