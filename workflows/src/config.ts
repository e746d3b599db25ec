import { taskQueues } from '@mostrador/contracts/workflows';
import { baseConfig, healthConfig, temporalConfig } from '@mostrador/kit/process/config';
import { type Static, Type } from '@sinclair/typebox';
import type { WorkerVersion } from './task-queue-worker.ts';

const anyQueue = `(${taskQueues.join('|')})`;

/** The environment variables of the worker. */
export const workflowsConfig = Type.Object({
  ...baseConfig,
  ...healthConfig,
  ...temporalConfig,
  TASK_QUEUES: Type.String({
    pattern: `^${anyQueue}(,${anyQueue})*$`,
    default: taskQueues.join(','),
    description: `Task queues to serve, separated by commas: ${taskQueues.join(', ')}`,
  }),
  // Temporal's controller for Kubernetes sets these two names.
  TEMPORAL_DEPLOYMENT_NAME: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,200}$',
    default: 'mostrador',
    description: 'The Worker Deployment of which this worker is a version, if TEMPORAL_WORKER_BUILD_ID is set',
  }),
  TEMPORAL_WORKER_BUILD_ID: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,200}$',
      description: 'The version of this worker, to which Temporal routes tasks; unset: the worker takes those of all',
    }),
  ),
  WORKFLOW_BUNDLE_CACHE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'A folder that caches the workflow bundle, for a faster start',
      ofBuild: true,
    }),
  ),
});

/** The version that the settings name, or undefined without a build id: workers are then not versioned. */
export const workerVersion = (config: Static<typeof workflowsConfig>): WorkerVersion | undefined =>
  config.TEMPORAL_WORKER_BUILD_ID === undefined
    ? undefined
    : { deploymentName: config.TEMPORAL_DEPLOYMENT_NAME, buildId: config.TEMPORAL_WORKER_BUILD_ID };
