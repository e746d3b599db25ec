import { entityWorkflows, reportClosing } from '@mostrador/contracts/workflows';
import { baseConfig, healthConfig, temporalConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';

const taskQueues = [...new Set([...Object.values(entityWorkflows), reportClosing].map(({ taskQueue }) => taskQueue))];
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
  WORKFLOW_BUNDLE_CACHE: Type.Optional(
    Type.String({ minLength: 1, description: 'A folder that caches the workflow bundle, for a faster start' }),
  ),
});
