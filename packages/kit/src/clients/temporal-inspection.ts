import { setLogger } from '@grpc/grpc-js';
import { Connection } from '@temporalio/client';
import type { Log } from '../process/log.ts';
import type { TemporalAddress } from './temporal-address.ts';
import { assertNamespace } from './temporal-namespace.ts';

/** A task queue for one kind of task, as Temporal sees it. */
export type TaskQueueState = {
  readonly name: string;
  readonly tasks: 'workflow' | 'activity';
  /** Workers that polled within the last five minutes. A poll lasts a minute, so a worker that lives polls each minute. */
  readonly pollers: readonly { readonly identity: string; readonly polledAt: Date }[];
  /** How many tasks wait, about. */
  readonly backlog: number;
  /** How long the oldest has waited, about. */
  readonly backlogSeconds: number;
};

/** temporal.api.enums.v1.TaskQueueType */
const types = { workflow: 1, activity: 2 } as const;

/**
 * Looks at a namespace for an operator, and starts nothing.
 *
 * @param limitMs for all calls together
 * @throws NotReady when the namespace lacks a search attribute; otherwise the error of gRPC
 */
export async function inspectTemporal(
  options: TemporalAddress & { namespace: string; taskQueues: readonly string[]; limitMs: number; log: Log },
): Promise<TaskQueueState[]> {
  const { address, tls, apiKey, namespace, taskQueues, limitMs, log } = options;
  const quiet = (text: string) => log.debug({ module: 'grpc' }, text);
  setLogger({ error: quiet, info: quiet, debug: quiet });
  const connection = Connection.lazy({ address, tls, apiKey, interceptors: [] });
  const describe = async (name: string, tasks: keyof typeof types): Promise<TaskQueueState> => {
    const { pollers, stats } = await connection.workflowService.describeTaskQueue({
      ...{ namespace, taskQueue: { name }, taskQueueType: types[tasks], reportStats: true },
    });
    return {
      name,
      tasks,
      pollers: pollers.map(({ identity, lastAccessTime }) => ({
        identity: identity ?? '',
        polledAt: new Date(Number(lastAccessTime?.seconds ?? 0) * 1000),
      })),
      backlog: Number(stats?.approximateBacklogCount ?? 0),
      backlogSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
    };
  };
  try {
    return await connection.withDeadline(Date.now() + limitMs, async () => {
      await assertNamespace(connection, namespace);
      return await Promise.all(taskQueues.flatMap((name) => [describe(name, 'workflow'), describe(name, 'activity')]));
    });
  } finally {
    await connection.close();
  }
}
