import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@mostrador/kit/process/log';
import { type NativeConnection, Worker, type WorkerStatus } from '@temporalio/worker';
import type { WorkflowBundle } from './bundle.ts';

export type TaskQueueWorker = {
  readonly taskQueue: string;
  /** Resolves once the queue is polled, however long that takes. */
  start(): Promise<void>;
  /** Lets what runs come to its end; what does not within the limits is tried again elsewhere. */
  stop(): Promise<void>;
  /** Throws while nothing is polled. */
  assertPolling(): void;
  status(): WorkerStatus | undefined;
};

const longestPauseMs = 5_000;

/**
 * The worker of one task queue, with limits of its own so that no queue takes another's place. The SDK itself rides
 * out a server that is away; what ends a worker (a namespace that is not there yet, a server with an empty database)
 * leads to a new one.
 */
export function createTaskQueueWorker(options: {
  connection: NativeConnection;
  namespace: string;
  /** Who a history says did it. */
  identity: string;
  taskQueue: string;
  bundle: WorkflowBundle;
  activities: object;
  shutdownTimeoutMs: number;
  log: Log;
}): TaskQueueWorker {
  const { taskQueue, log, shutdownTimeoutMs } = options;
  const stopping = new AbortController();
  const polling = Promise.withResolvers<void>();
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;

  const create = () =>
    Worker.create({
      connection: options.connection,
      namespace: options.namespace,
      identity: options.identity,
      taskQueue,
      workflowBundle: options.bundle,
      activities: options.activities,
      // Less than the process has, so that the ways to Temporal and NATS are still there for the last answers.
      shutdownGraceTime: shutdownTimeoutMs * 0.6,
      shutdownForceTime: shutdownTimeoutMs * 0.9,
      // A worker that died holds its workflows' next tasks for this long; the SDK's 10 s would break our promises.
      stickyQueueScheduleToStartTimeout: 1_000,
      // Entity workflows keep one flag and a few strings: about 0.2 MB each, so this is at most 100 MB. One that is not in
      // the cache is replayed from its few events.
      maxCachedWorkflows: 500,
      maxConcurrentActivityTaskExecutions: 50,
    });

  const keepRunning = async () => {
    for (let pauseMs = 500; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        worker = await create();
        const run = worker.run();
        if (stopping.signal.aborted) worker.shutdown();
        polling.resolve();
        log.info({ taskQueue }, 'worker polls');
        await run;
      } catch (error) {
        log.error({ err: error, taskQueue }, stopping.signal.aborted ? 'worker did not stop in time' : 'worker ended');
      }
      worker = undefined;
      if (!stopping.signal.aborted) await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

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
    assertPolling: () => {
      if (worker?.getState() !== 'RUNNING') throw new Error(`nothing polls the task queue ${taskQueue}`);
    },
    status: () => worker?.getStatus(),
  };
}
