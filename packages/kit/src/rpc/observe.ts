import type { Log } from '../process/log.ts';
import { gauge, histogram, type MetricDefinition, type Metrics } from '../process/metrics.ts';
import type { RequestQueue, RequestQueueLimits } from './request-queue.ts';

export const rpcMetrics = {
  duration: {
    name: 'mostrador_rpc_duration_seconds',
    type: 'histogram',
    help: 'Time from the arrival of a request over NATS to its answer, with its wait in the queue.',
    labels: { subject: 'an operation', outcome: '`ok`, `late` (its caller no longer waited) or the code of the error' },
  },
  queue: {
    name: 'mostrador_rpc_queue_requests',
    type: 'gauge',
    help: 'Requests that run or wait, by request queue.',
    labels: { queue: 'a kind of caller', state: '`running`, `waiting`' },
  },
  queueLimit: {
    name: 'mostrador_rpc_queue_limit',
    type: 'gauge',
    help: 'The most requests that may run or wait at once. A further one is answered with 503.',
    labels: { queue: 'a kind of caller', state: '`running`, `waiting`' },
  },
} as const satisfies Record<string, MetricDefinition>;

/** Metrics of the server: the duration of requests by outcome, and the load of the request queues. */
export function instrument(
  metrics: Metrics,
  queues: ReadonlyMap<string, RequestQueue>,
  limits: Readonly<Record<string, RequestQueueLimits>>,
) {
  const duration = histogram(metrics, rpcMetrics.duration);
  gauge(metrics, rpcMetrics.queue, (each) => {
    for (const [queue, { stats }] of queues) {
      const { running, waiting } = stats();
      each.set({ queue, state: 'running' }, running);
      each.set({ queue, state: 'waiting' }, waiting);
    }
  });
  const limit = gauge(metrics, rpcMetrics.queueLimit);
  for (const [queue, { concurrency, queue: waiting }] of Object.entries(limits)) {
    limit.set({ queue, state: 'running' }, concurrency);
    limit.set({ queue, state: 'waiting' }, waiting);
  }
  return (subject: string, outcome: string, seconds: number) => duration.observe({ subject, outcome }, seconds);
}

/** Logs rejected requests at most once a second, as counts by reason, because they come in bursts. */
export function createRejectionLog(log: Log): (reason: string) => void {
  const counts = new Map<string, number>();
  const write = () => {
    log.warn({ requests: Object.fromEntries(counts) }, 'requests were rejected');
    counts.clear();
  };
  return (reason) => {
    if (counts.size === 0) setTimeout(write, 1_000).unref();
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  };
}
