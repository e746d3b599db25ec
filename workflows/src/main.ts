import { reportClosing, workerNotice } from '@mostrador/contracts/workflows';
import { identityOf, temporalAddress } from '@mostrador/kit/clients/temporal-address';
import { exportCertificates } from '@mostrador/kit/process/certificates';
import { loadConfig } from '@mostrador/kit/process/config';
import { createHealth, untilPassed, watchReadiness } from '@mostrador/kit/process/health';
import { exportHealth, serveHealth } from '@mostrador/kit/process/health-server';
import { createMetrics } from '@mostrador/kit/process/metrics';
import { periodically } from '@mostrador/kit/process/periodic';
import { type RunningProcess, run } from '@mostrador/kit/process/run';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats, isConnected, type NatsConnection, natsAddress, natsCheck } from '@mostrador/kit/rpc/nats';
import { answerRollCall } from '@mostrador/kit/rpc/roll-call';
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

async function start({ log, tracing, onStop }: RunningProcess): Promise<void> {
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
  exportHealth(metrics, health);
  exportCertificates(metrics, config);
  const server = await serveHealth({
    ...{ host: config.HEALTH_HOST, port: config.HEALTH_PORT, metricsPort: config.METRICS_PORT },
    ...{ health, metrics },
  });
  onStop('health', () => server.close());
  onStop('pending connections', async () => stopping.abort());

  connected = await nats;
  answerRollCall(connected, log, { process: 'workflows', health });
  const rpc = createRpcClient({ nats: connected, log, tracing });
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
      tracing,
    });
    workers.push(worker);
  }
  onStop('workers', async () => {
    health.drain();
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  await Promise.all(workers.map((worker) => worker.start()));
  polling.resolve();
  const notices = periodically({
    name: 'notices of workers',
    everyMs: workerNotice.everyMs,
    log,
    run: async () => announce(await nats, workers),
  });
  announce(await nats, workers);
  notices.start();
  onStop('notices', () => notices.stop());
  const watch = watchReadiness(health, log);
  watch.start();
  onStop('readiness', () => watch.stop());

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

/** Says which task queues are polled. A notice that cannot be sent now is dropped. */
function announce(nats: NatsConnection, workers: readonly TaskQueueWorker[]): void {
  const polled = workers.filter((worker) => worker.isPolling()).map(({ taskQueue }) => taskQueue);
  if (polled.length > 0 && isConnected(nats))
    nats.publish(workerNotice.subject, JSON.stringify({ task_queues: polled }));
}

run('workflows', start, { config });
