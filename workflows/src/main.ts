import { reportClosing } from '@mostrador/contracts/workflows';
import { identityOf, temporalAddress } from '@mostrador/kit/clients/temporal-address';
import { loadConfig } from '@mostrador/kit/process/config';
import { createHealth, serveHealth, untilPassed } from '@mostrador/kit/process/health';
import { createMetrics } from '@mostrador/kit/process/metrics';
import { type RunningProcess, run } from '@mostrador/kit/process/run';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats, type NatsConnection, natsAddress, natsCheck } from '@mostrador/kit/rpc/nats';
import { activities } from './activities/activities.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { workerVersion, workflowsConfig } from './config.ts';
import { keepSchedules, reportSchedules } from './report-schedules.ts';
import { installRuntime } from './runtime.ts';
import { createTaskQueueWorker, type TaskQueueWorker } from './task-queue-worker.ts';
import { connectWhenThere } from './temporal-connection.ts';
import { registerWorkerMetrics } from './worker-metrics.ts';

const config = loadConfig(workflowsConfig);
/** How often missing schedules are created. A run closes what missed runs left, so a gap only delays. */
const scheduleCheckMs = 5 * 60_000;

async function start({ log, onStop }: RunningProcess): Promise<void> {
  const logger = installRuntime(log);
  const stopping = new AbortController();
  const workers: TaskQueueWorker[] = [];
  const polling = Promise.withResolvers<void>();
  const bundle = loadWorkflowBundle({ cacheDirectory: config.WORKFLOW_BUNDLE_CACHE, logger });
  const nats = connectNats({ ...natsAddress(config), name: 'workflows', log });
  const { TEMPORAL_NAMESPACE: namespace } = config;
  const { signal } = stopping;
  const connection = connectWhenThere({ address: temporalAddress(config), namespace, log, signal });
  let connected: NatsConnection | undefined;
  connection.opened.catch(() => {}); // awaited below, unless the process ends before that

  // Health comes first, so that it shows what a starting worker waits for.
  const health = createHealth({
    required: {
      nats: natsCheck(() => connected),
      temporal: connection.ping,
      temporal_namespace: untilPassed(connection.checkNamespace),
      workers: async () => {
        await polling.promise;
        for (const worker of workers) worker.assertPolling();
      },
    },
    log,
  });
  const metrics = createMetrics('workflows');
  registerWorkerMetrics(metrics, workers);
  const server = await serveHealth({ host: config.HEALTH_HOST, port: config.HEALTH_PORT, health, metrics });
  onStop('health', () => server.close());
  onStop('pending connections', async () => stopping.abort());

  connected = await nats;
  const rpc = createRpcClient({ nats: connected, log });
  onStop('nats', async () => (await nats).close());
  const temporal = await connection.opened;
  onStop('temporal', () => temporal.close());
  const taskQueues = new Set(config.TASK_QUEUES.split(','));
  for (const taskQueue of taskQueues) {
    const worker = createTaskQueueWorker({
      connection: temporal,
      namespace,
      identity: identityOf('workflows'),
      taskQueue,
      bundle: await bundle,
      version: workerVersion(config),
      activities: activities(rpc),
      shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
      log,
    });
    workers.push(worker);
  }
  onStop('workers', async () => {
    health.drain();
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  await Promise.all(workers.map((worker) => worker.start()));
  polling.resolve();

  if (!taskQueues.has(reportClosing.taskQueue)) return;
  onStop('schedules', async () => stopping.abort());
  // Never awaited: nothing depends on it, and a call can take long while Temporal is down.
  void keepSchedules({
    connection: temporal,
    namespace,
    schedules: reportSchedules,
    everyMs: scheduleCheckMs,
    log,
    signal,
  });
}

run('workflows', start, { config });
