import type { TemporalCalls } from './temporal-namespace.ts';

/** A task queue, for one kind of task. */
export type TaskQueueState = {
  readonly kind: 'workflow' | 'activity';
  /** The workers that asked for tasks within the last 70 s. A poll takes up to a minute. */
  readonly pollers: number;
  /** Tasks that wait for a worker, about. */
  readonly backlog: number;
  /** For how long the oldest of them has waited. 0: none waits. */
  readonly backlogSeconds: number;
};

// temporal.api.enums.v1.TaskQueueType
const kinds = { workflow: 1, activity: 2 } as const;
const pollsWithinMs = 70_000;
const callLimitMs = 5_000;

/** Asks Temporal about a task queue. Needs the right to read in the namespace. */
export async function describeTaskQueue(
  calls: TemporalCalls,
  namespace: string,
  name: string,
): Promise<TaskQueueState[]> {
  const describe = async (kind: keyof typeof kinds): Promise<TaskQueueState> => {
    const request = { namespace, taskQueue: { name }, taskQueueType: kinds[kind], reportStats: true };
    const { pollers, stats } = await calls.withDeadline(Date.now() + callLimitMs, () =>
      calls.workflowService.describeTaskQueue(request),
    );
    const since = Date.now() - pollsWithinMs;
    return {
      kind,
      pollers: (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > since)
        .length,
      backlog: Number(stats?.approximateBacklogCount ?? 0),
      backlogSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
    };
  };
  return await Promise.all([describe('workflow'), describe('activity')]);
}
