import { workerNotice } from '@mostrador/contracts/workflows';
import type { NatsConnection } from 'nats';
import { expect, test } from 'vitest';
import type { TaskQueueState } from '../clients/temporal-task-queue.ts';
import type { Log } from '../process/log.ts';
import { isServed, taskQueueMetrics, watchTaskQueues } from './task-queues.ts';

test.each([
  ['a worker has just said so', 0, 60_000, 0, true],
  ['one was heard 9 s ago', 9_000, 60_000, 0, true],
  ['none was heard for 10 s, though Temporal still counts it', 10_000, 60_000, 1, false],
  ['none was ever heard, and Temporal knows a worker of an older version', undefined, 60_000, 1, true],
  ['none was ever heard, and Temporal knows none', undefined, 20_000, 0, false],
  ['the process has only begun to listen', undefined, 19_999, 0, undefined],
  ['none was ever heard, and Temporal does not answer', undefined, 60_000, undefined, undefined],
] as const)('when %s, the queue is served: heard %s, listening for %s, pollers %s → %s', (...row) => {
  const [, heardMsAgo, listeningForMs, pollers, served] = row;
  expect(isServed({ heardMsAgo, listeningForMs, pollers })).toBe(served);
});

/** A watch of two queues, whose clock and notices the test controls. */
function watch() {
  let nowMs = 0;
  let pollers = 1;
  let hear = (_notice: object) => {};
  const lines: string[] = [];
  let isUp = true;
  const nats = {
    isClosed: () => false,
    flush: () => (isUp ? Promise.resolve() : Promise.reject(new Error('no answer'))),
    subscribe(subject: string, { callback }: { callback: (error: null, message: { data: Uint8Array }) => void }) {
      expect(subject).toBe(workerNotice.subject);
      hear = (notice) => callback(null, { data: new TextEncoder().encode(JSON.stringify(notice)) });
    },
  } as unknown as NatsConnection;
  const state = (kind: TaskQueueState['kind']) => ({ kind, pollers, backlog: 3, backlogSeconds: 7 });
  const line = (level: string) => (values: { task_queues: string[] }) => lines.push(`${level} ${values.task_queues}`);
  const gauges = watchTaskQueues({
    taskQueues: ['calendar', 'delivery'],
    nats,
    temporal: { describeTaskQueue: async () => [state('workflow'), state('activity')] },
    log: { warn: line('warn'), info: line('info') } as unknown as Log,
    now: () => nowMs,
  });
  const served = async () =>
    (await gauges.read()).filter(({ metric }) => metric === taskQueueMetrics.served).map(({ value }) => value);
  return {
    ...{ gauges, served, lines },
    hear: (notice: object) => hear(notice),
    cut: (next: boolean) => {
      isUp = !next;
    },
    later: (ms: number, known = pollers) => {
      nowMs += ms;
      pollers = known;
    },
  };
}

test('a dead worker is one line of the log within 20 s, for all its queues, and another when it is back', async () => {
  const { served, lines, hear, later } = watch();
  hear({ task_queues: ['calendar', 'delivery'] });
  later(8_000);
  expect(await served()).toEqual([1, 1]);
  later(10_000);
  expect(await served()).toEqual([0, 0]);
  expect(await served()).toEqual([0, 0]);
  expect(lines).toEqual(['warn calendar,delivery']);
  hear({ task_queues: ['calendar', 'delivery'] });
  expect(await served()).toEqual([1, 1]);
  expect(lines).toEqual(['warn calendar,delivery', 'info calendar,delivery']);
});

test('while NATS does not answer, a worker that is not heard is not called dead', async () => {
  const { gauges, served, lines, hear, later, cut } = watch();
  hear({ task_queues: ['calendar', 'delivery'] });
  cut(true);
  later(60_000);
  expect(await gauges.read()).toEqual([]);
  cut(false);
  later(5_000);
  // Temporal knows the worker, whose next notice has not come yet.
  expect(await served()).toEqual([1, 1]);
  expect(lines).toEqual([]);
});

test('a notice that is not understood changes nothing, and the backlog is exported by kind', async () => {
  const { gauges, hear } = watch();
  hear({ task_queues: ['calendar'] });
  hear('nonsense' as unknown as object);
  const backlog = (await gauges.read()).filter(({ metric }) => metric === taskQueueMetrics.backlogSeconds);
  expect(backlog.map(({ labels, value }) => [labels?.task_queue, labels?.kind, value])).toEqual([
    ['calendar', 'workflow', 7],
    ['calendar', 'activity', 7],
    ['delivery', 'workflow', 7],
    ['delivery', 'activity', 7],
  ]);
});
