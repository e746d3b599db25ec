import { taskQueues, type WorkerNotice, workerNotice } from '@mostrador/contracts/workflows';
import type { Temporal } from '../clients/temporal.ts';
import type { TaskQueueState } from '../clients/temporal-task-queue.ts';
import type { LeaderGauges, Reading } from '../process/leader-gauges.ts';
import type { Log } from '../process/log.ts';
import type { MetricDefinition } from '../process/metrics.ts';
import { type NatsConnection, pingNats } from '../rpc/nats.ts';

const queueLabel = { task_queue: taskQueues.map((name) => `\`${name}\``).join(', ') };
const labels = { ...queueLabel, kind: '`workflow`, `activity`' };

export const taskQueueMetrics = {
  served: {
    name: 'mostrador_task_queue_served',
    type: 'gauge',
    help: '1: a worker polls the task queue. 0: none has said so for 10 s, and what the queue carries waits.',
    labels: queueLabel,
    once: true,
  },
  pollers: {
    name: 'mostrador_task_queue_pollers',
    type: 'gauge',
    help: 'Workers that asked Temporal for tasks of the queue within 70 s. A dead one counts for about a minute more.',
    labels,
    once: true,
  },
  backlog: {
    name: 'mostrador_task_queue_backlog',
    type: 'gauge',
    help: 'Tasks in Temporal that wait for a worker, about.',
    labels,
    once: true,
  },
  backlogSeconds: {
    name: 'mostrador_task_queue_backlog_seconds',
    type: 'gauge',
    help: 'For how long the oldest task of the queue has waited for a worker. 0: none waits.',
    labels,
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

/** What is known about the workers of a task queue. */
export type Sighting = {
  /** How long ago a worker said that it polls the queue. Undefined: never since this process started to listen. */
  readonly heardMsAgo: number | undefined;
  readonly listeningForMs: number;
  /** The workers that Temporal knows. Undefined: it does not answer. */
  readonly pollers: number | undefined;
};

/**
 * Whether a worker polls the queue. A worker of a version without notices is known to Temporal. Undefined: it cannot be
 * known yet, because no notice had the time to come.
 */
export function isServed({ heardMsAgo, listeningForMs, pollers }: Sighting): boolean | undefined {
  if (heardMsAgo !== undefined) return heardMsAgo < workerNotice.deadAfterMs;
  if (pollers === undefined) return undefined;
  if (pollers > 0) return true;
  return listeningForMs < 2 * workerNotice.deadAfterMs ? undefined : false;
}

/**
 * Watches the workers of these task queues: gauges, and one line in the log of the leader when a worker dies. A queue
 * whose workers are heard is asked about in Temporal only for the gauges.
 */
export function watchTaskQueues(options: {
  readonly taskQueues: readonly string[];
  readonly nats: NatsConnection;
  readonly temporal: Pick<Temporal, 'describeTaskQueue'>;
  readonly log: Log;
  /** In milliseconds. Default: a clock that only goes forward. */
  readonly now?: () => number;
}): LeaderGauges {
  const { taskQueues, nats, temporal, log, now = () => performance.now() } = options;
  const heardAtMs = new Map<string, number>();
  let listeningSinceMs = now();
  let unserved: readonly string[] = [];

  nats.subscribe(workerNotice.subject, {
    callback: (error, message) => {
      if (error) return log.warn({ err: error }, 'the notices of workers cannot be heard: update users.conf of NATS');
      for (const taskQueue of namedIn(message.data)) heardAtMs.set(taskQueue, now());
    },
  });

  const logChange = (next: readonly string[]) => {
    const lost = next.filter((taskQueue) => !unserved.includes(taskQueue));
    const found = unserved.filter((taskQueue) => !next.includes(taskQueue));
    unserved = next;
    if (lost.length > 0) {
      log.warn(
        { task_queues: lost },
        'no worker polls these task queues: start workflows, or read its log and /readyz',
      );
    }
    if (found.length > 0) log.info({ task_queues: found }, 'a worker polls these task queues again');
  };

  /** `inTemporal`: which queues to ask Temporal about. */
  const look = async (inTemporal: (taskQueue: string) => boolean): Promise<Look[]> => {
    // While NATS does not answer nothing is heard, which says nothing about the workers.
    if (!(await answers(nats))) {
      heardAtMs.clear();
      listeningSinceMs = now();
      return [];
    }
    const looks = taskQueues.map(async (taskQueue): Promise<Look> => {
      const states = inTemporal(taskQueue)
        ? await temporal.describeTaskQueue(taskQueue).catch(() => undefined)
        : undefined;
      const heard = heardAtMs.get(taskQueue);
      const served = isServed({
        heardMsAgo: heard === undefined ? undefined : now() - heard,
        listeningForMs: now() - listeningSinceMs,
        pollers: states && Math.min(...states.map(({ pollers }) => pollers)),
      });
      return { taskQueue, states, served };
    });
    const looked = await Promise.all(looks);
    logChange(looked.filter(({ served }) => served === false).map(({ taskQueue }) => taskQueue));
    return looked;
  };

  return {
    metrics: Object.values(taskQueueMetrics),
    async read() {
      return (await look(() => true)).flatMap(({ taskQueue, states, served }) => [
        ...(served === undefined ? [] : [servedReading(taskQueue, served)]),
        ...(states ?? []).flatMap((state) => readingsOf(taskQueue, state)),
      ]);
    },
    watch: async () => void (await look((taskQueue) => !heardAtMs.has(taskQueue))),
  };
}

type Look = {
  readonly taskQueue: string;
  /** Undefined: Temporal was not asked, or does not answer. */
  readonly states: readonly TaskQueueState[] | undefined;
  readonly served: boolean | undefined;
};

const answers = (nats: NatsConnection): Promise<boolean> =>
  pingNats(nats).then(
    () => true,
    () => false,
  );

const servedReading = (taskQueue: string, served: boolean): Reading => ({
  metric: taskQueueMetrics.served,
  labels: { task_queue: taskQueue },
  value: served ? 1 : 0,
});

const readingsOf = (taskQueue: string, { kind, ...state }: TaskQueueState): Reading[] =>
  (['pollers', 'backlog', 'backlogSeconds'] as const).map((member) => ({
    metric: taskQueueMetrics[member],
    labels: { task_queue: taskQueue, kind },
    value: state[member],
  }));

/** The task queues that a notice names; none when it is not understood. */
function namedIn(data: Uint8Array): readonly string[] {
  try {
    const { task_queues: named } = JSON.parse(new TextDecoder().decode(data)) as Partial<WorkerNotice>;
    return Array.isArray(named) ? named : [];
  } catch {
    return [];
  }
}
