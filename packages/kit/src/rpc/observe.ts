import { Gauge, Histogram } from 'prom-client';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics.ts';
import type { Lane } from './request-queue.ts';

/** Metrics of the server: how long requests took, by outcome, and how full the lanes are. */
export function instrument(metrics: Metrics, lanes: ReadonlyMap<string, Lane>) {
  const duration = new Histogram({
    name: 'mostrador_rpc_duration_seconds',
    help: 'Time from the arrival of a request to its answer.',
    labelNames: ['subject', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics.registry],
  });
  new Gauge({
    name: 'mostrador_rpc_lane_requests',
    help: 'Requests that run or wait, by lane.',
    labelNames: ['lane', 'state'],
    registers: [metrics.registry],
    collect() {
      for (const [lane, { stats }] of lanes) {
        const { running, waiting } = stats();
        this.set({ lane, state: 'running' }, running);
        this.set({ lane, state: 'waiting' }, waiting);
      }
    },
  });
  return (subject: string, outcome: string, seconds: number) => duration.observe({ subject, outcome }, seconds);
}

/** Requests not carried out come in crowds: the log gets a line a second with their number by reason. */
export function complainOnceASecond(log: Log): (reason: string) => void {
  const counts = new Map<string, number>();
  const write = () => {
    log.warn({ requests: Object.fromEntries(counts) }, 'requests were not carried out');
    counts.clear();
  };
  return (reason) => {
    if (counts.size === 0) setTimeout(write, 1_000).unref();
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  };
}
