import { Gauge, Histogram } from 'prom-client';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';
import type { RequestQueue } from './request-queue.ts';

/** Metrics of the server: the duration of requests by outcome, and the load of the request queues. */
export function instrument(metrics: Metrics, queues: ReadonlyMap<string, RequestQueue>) {
  const registers = [metrics.registry];
  const duration = new Histogram({
    name: 'mostrador_rpc_duration_seconds',
    help: 'Time from the arrival of a request to its answer.',
    labelNames: ['subject', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  new Gauge({
    name: 'mostrador_rpc_queue_requests',
    help: 'Requests that run or wait, by request queue.',
    labelNames: ['queue', 'state'],
    registers,
    collect() {
      for (const [queue, { stats }] of queues) {
        const { running, waiting } = stats();
        this.set({ queue, state: 'running' }, running);
        this.set({ queue, state: 'waiting' }, waiting);
      }
    },
  });
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
