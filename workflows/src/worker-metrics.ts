import type { Metrics } from '@mostrador/kit/process/metrics';
import type { WorkerStatus } from '@temporalio/worker';
import { Gauge } from 'prom-client';
import type { TaskQueueWorker } from './task-queue-worker.ts';

const gauges: { name: string; help: string; read: (status: WorkerStatus) => number }[] = [
  {
    name: 'mostrador_worker_steps_running',
    help: 'Steps in flight: requests that wait for the response of their service.',
    read: (status) => status.numInFlightActivities,
  },
  {
    name: 'mostrador_worker_workflows_cached',
    help: 'Workflows in the cache of the worker, which need no replay.',
    read: (status) => status.numCachedWorkflows,
  },
];

/** Registers gauges of each worker's load, which are read at every scrape. */
export function registerWorkerMetrics(metrics: Metrics, workers: readonly TaskQueueWorker[]): void {
  for (const { name, help, read } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: ['task_queue'],
      registers: [metrics.registry],
      collect() {
        for (const worker of workers) {
          const status = worker.status();
          if (status) this.set({ task_queue: worker.taskQueue }, read(status));
        }
      },
    });
  }
}
