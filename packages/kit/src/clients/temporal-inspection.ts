import { setLogger } from '@grpc/grpc-js';
import { Connection } from '@temporalio/client';
import type { Log } from '../process/log.ts';
import type { TemporalAddress } from './temporal-address.ts';
import { temporalFaults } from './temporal-fault.ts';
import { assertNamespace, namespaceFault } from './temporal-namespace.ts';

/** `version`: that of the worker. Null: it has none. */
export type Poller = { readonly identity: string; readonly polledAt: Date; readonly version: string | null };

/** A task queue for one kind of task, as Temporal sees it. */
export type TaskQueueState = {
  readonly name: string;
  readonly tasks: 'workflow' | 'activity';
  /** Workers that polled within the last five minutes. A poll lasts a minute, so a worker that lives polls each minute. */
  readonly pollers: readonly Poller[];
  /** The version of workers that gets its tasks, such as `mostrador:0.3.0`. Null: workers without a version get them. */
  readonly current: string | null;
  /** How many tasks wait, about. */
  readonly backlog: number;
  /** How long the oldest has waited, about. */
  readonly backlogSeconds: number;
};

/** How long a look at the connection may take, after a call has failed. */
const lookLimitMs = 1_000;

/** temporal.api.enums.v1.TaskQueueType */
const types = { workflow: 1, activity: 2 } as const;

/** temporal.api.enums.v1.WorkerVersioningMode: WORKER_VERSIONING_MODE_VERSIONED */
const versioned = 2;

type Version = { readonly deploymentName?: string | null; readonly buildId?: string | null };
const versionText = (version: Version | null | undefined): string | null =>
  version?.buildId ? `${version.deploymentName}:${version.buildId}` : null;

/**
 * Looks at a namespace for an operator, and starts nothing.
 *
 * @param limitMs for all calls together
 * @throws NotReady when the settings are wrong, NoAnswer when Temporal does not serve now; both say what to do
 */
export async function inspectTemporal(
  options: TemporalAddress & { namespace: string; taskQueues: readonly string[]; limitMs: number; log: Log },
): Promise<TaskQueueState[]> {
  const { address, tls, apiKey, namespace, taskQueues, limitMs, log } = options;
  const quiet = (text: string) => log.debug({ module: 'grpc' }, text);
  setLogger({ error: quiet, info: quiet, debug: quiet });
  const connection = Connection.lazy({ address, tls, apiKey, interceptors: [] });
  const describe = async (name: string, tasks: keyof typeof types): Promise<TaskQueueState> => {
    const { pollers, stats, versioningInfo } = await connection.workflowService.describeTaskQueue({
      ...{ namespace, taskQueue: { name }, taskQueueType: types[tasks], reportStats: true },
    });
    return {
      name,
      tasks,
      pollers: pollers.map(({ identity, lastAccessTime, deploymentOptions }) => ({
        identity: identity ?? '',
        polledAt: new Date(Number(lastAccessTime?.seconds ?? 0) * 1000),
        version: deploymentOptions?.workerVersioningMode === versioned ? versionText(deploymentOptions) : null,
      })),
      current: versionText(versioningInfo?.currentDeploymentVersion),
      backlog: Number(stats?.approximateBacklogCount ?? 0),
      backlogSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
    };
  };
  try {
    return await connection.withDeadline(Date.now() + limitMs, async () => {
      await assertNamespace(connection, namespace);
      return await Promise.all(taskQueues.flatMap((name) => [describe(name, 'workflow'), describe(name, 'activity')]));
    });
  } catch (cause) {
    throw await namespaceFault(cause, namespace, temporalFaults(options), lookLimitMs);
  } finally {
    await connection.close();
  }
}
