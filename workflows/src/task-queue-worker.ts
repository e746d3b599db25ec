import { setTimeout as delay } from 'node:timers/promises';
import { reportClosing } from '@mostrador/contracts/workflows';
import { assertNamespace } from '@mostrador/kit/clients/temporal-namespace';
import type { Log } from '@mostrador/kit/process/log';
import type { Tracing } from '@mostrador/kit/process/tracing';
import type { NativeConnection, Worker, WorkerDeploymentOptions, WorkerStatus } from '@temporalio/worker';
import type { WorkflowBundle } from './bundle.ts';
import { tracedActivities } from './traced-activities.ts';
import { SharedThreadWorker } from './workflow-thread.ts';

export type TaskQueueWorker = {
  readonly taskQueue: string;
  /** Resolves when the worker polls its queue, however long that takes. */
  start(): Promise<void>;
  /** Lets running steps finish. Temporal retries those that exceed the limit on another worker. */
  stop(): Promise<void>;
  /** Throws while the worker does not poll its queue. */
  assertPolling(): void;
  isPolling(): boolean;
  status(): WorkerStatus | undefined;
};

/** Of which Worker Deployment the worker is a version. */
export type WorkerVersion = WorkerDeploymentOptions['version'];

/**
 * The queues whose workflows end on the version on which they began, because they end within minutes. An entity workflow
 * can wait for days, so it continues on the version that is current at its next task: docs/adr/0033.
 */
const pinned: ReadonlySet<string> = new Set([reportClosing.taskQueue]);
const longestPauseMs = 5_000;
const checkLimitMs = 5_000;

/**
 * The worker of one task queue. Each queue has its own limits, so that none can starve another. The SDK survives an
 * outage of the server. When a worker ends, for example because its namespace does not exist yet, a new one starts.
 */
export function createTaskQueueWorker(options: {
  connection: NativeConnection;
  namespace: string;
  /** The name of the worker in histories. */
  identity: string;
  taskQueue: string;
  bundle: WorkflowBundle;
  /** The worker then gets only tasks that Temporal routes to this version. Undefined: those of all versions. */
  version?: WorkerVersion | undefined;
  /** `stopping` is aborted when the worker stops: a step that stays open then ends. */
  activities: (stopping: AbortSignal) => object;
  shutdownTimeoutMs: number;
  log: Log;
  tracing?: Tracing | undefined;
}): TaskQueueWorker {
  const { taskQueue, version, log, shutdownTimeoutMs, tracing } = options;
  const stopping = new AbortController();
  const polling = Promise.withResolvers<void>();
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;

  const create = () =>
    SharedThreadWorker.create({
      connection: options.connection,
      namespace: options.namespace,
      identity: options.identity,
      taskQueue,
      workflowBundle: options.bundle,
      // Only here: a workflow that names its behavior itself fails on a worker without a version.
      ...(version && {
        workerDeploymentOptions: {
          version,
          useWorkerVersioning: true,
          defaultVersioningBehavior: pinned.has(taskQueue) ? 'PINNED' : 'AUTO_UPGRADE',
        },
      }),
      activities: options.activities(stopping.signal),
      ...(tracing && { interceptors: { activity: [tracedActivities(tracing)] } }),
      // Shorter than the limit of the process, so that Temporal and NATS are still connected for the last responses.
      shutdownGraceTime: shutdownTimeoutMs * 0.6,
      shutdownForceTime: shutdownTimeoutMs * 0.9,
      // After a worker dies, its workflows' next tasks wait this long for it. The default of 10 s is too slow.
      stickyQueueScheduleToStartTimeout: 1_000,
      // A cached workflow takes about 0.2 MB, so the cache takes at most 100 MB. Others are replayed from a few events.
      maxCachedWorkflows: 500,
      maxConcurrentActivityTaskExecutions: 50,
      // The first attempt of most steps is local. Each poll of an idle worker costs Temporal a request a minute.
      // `maxConcurrentActivityTaskPolls` has no effect in version 1.24 of the SDK: it polled 10 times at once.
      activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 3 },
      maxConcurrentLocalActivityExecutions: 50,
      // More than steps, because the task of a workflow lasts as long as its local step.
      maxConcurrentWorkflowTaskExecutions: 100,
    });

  const keepRunning = async () => {
    for (let pauseMs = 500; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        // A worker whose creation fails stays registered until it is garbage-collected, and no other can be created.
        await options.connection.withDeadline(Date.now() + checkLimitMs, () =>
          assertNamespace(options.connection, options.namespace),
        );
        worker = await create();
        const run = worker.run();
        if (stopping.signal.aborted) worker.shutdown();
        polling.resolve();
        log.info({ taskQueue, ...version }, 'the worker polls its task queue');
        await run;
      } catch (error) {
        log.error({ err: error, taskQueue }, stopping.signal.aborted ? 'worker did not stop in time' : 'worker ended');
      }
      worker = undefined;
      if (!stopping.signal.aborted) await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

  const isPolling = () => worker?.getState() === 'RUNNING';

  return {
    taskQueue,
    start: () => {
      running = keepRunning();
      return polling.promise;
    },
    stop: async () => {
      stopping.abort();
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
    isPolling,
    assertPolling: () => {
      if (!isPolling()) throw new Error(`no worker polls the task queue ${taskQueue}`);
    },
    status: () => worker?.getStatus(),
  };
}
