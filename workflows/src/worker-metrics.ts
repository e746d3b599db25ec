import { taskQueues } from '@mostrador/contracts/workflows';
import { gauge, type MetricDefinition, type Metrics } from '@mostrador/kit/process/metrics';
import type { TaskQueueWorker } from './task-queue-worker.ts';

const labels = { task_queue: taskQueues.map((name) => `\`${name}\``).join(', ') };

export const workerMetrics = {
  polling: {
    name: 'mostrador_worker_polling',
    type: 'gauge',
    help: '1: the worker polls its task queue. 0: it does not, and starts again within 5 s.',
    labels,
  },
  steps: {
    name: 'mostrador_worker_steps_running',
    type: 'gauge',
    help: 'Steps in flight: requests that wait for the response of their service. The most is 50.',
    labels,
  },
  tasks: {
    name: 'mostrador_worker_tasks_running',
    type: 'gauge',
    help: 'Workflow tasks in flight. The most is 100.',
    labels,
  },
  cached: {
    name: 'mostrador_worker_workflows_cached',
    type: 'gauge',
    help: 'Workflows in the cache of the worker, which need no replay.',
    labels,
  },
} as const satisfies Record<string, MetricDefinition>;

/** Registers gauges of each worker's load, which are read at every scrape. */
export function registerWorkerMetrics(metrics: Metrics, workers: readonly TaskQueueWorker[]): void {
  gauge(metrics, workerMetrics.polling, (each) => {
    for (const worker of workers) each.set({ task_queue: worker.taskQueue }, worker.isPolling() ? 1 : 0);
  });
  const load = {
    numInFlightActivities: workerMetrics.steps,
    numInFlightWorkflowActivations: workerMetrics.tasks,
    numCachedWorkflows: workerMetrics.cached,
  } as const;
  for (const [member, metric] of Object.entries(load)) {
    gauge(metrics, metric, (each) => {
      for (const { taskQueue, status } of workers) {
        const load = status();
        if (load) each.set({ task_queue: taskQueue }, load[member as keyof typeof load] as number);
      }
    });
  }
}
