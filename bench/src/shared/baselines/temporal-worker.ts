import { join } from 'node:path';
import { servePeer } from '@mostrador/local-platform/peer';
import { bundleWorkflowCode, NativeConnection, Runtime, Worker } from '@temporalio/worker';

// The worker of the Temporal baselines, with the settings of the platform's (workflows/src/task-queue-worker.ts).
const silent = () => {};
const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging: { filter: 'ERROR', forward: {} } } });
let done = 0;
const bundle = await bundleWorkflowCode({ workflowsPath: join(import.meta.dirname, 'temporal.workflow.ts'), logger });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' }),
  namespace: 'default',
  taskQueue: 'bench',
  workflowBundle: bundle,
  activities: {
    async doNothing() {
      done++;
      return null;
    },
    async carry(signals: number) {
      done += signals;
      return null;
    },
  },
  stickyQueueScheduleToStartTimeout: 1_000,
  maxCachedWorkflows: 500,
  maxConcurrentActivityTaskExecutions: 50,
});
void worker.run();

servePeer({ stepsDone: () => done });
