import { expect, test } from 'vitest';
import { createRequestQueue } from './request-queue.ts';

/** Tasks that end on `endNext`. */
function tasks() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const task = (name: number) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const endNext = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { task, started, endNext };
}

test('a queue runs tasks up to its concurrency, keeps more in order up to its limit and rejects the rest', async () => {
  const { task, started, endNext } = tasks();
  const queue = createRequestQueue({ concurrency: 2, queue: 2 });
  expect([1, 2, 3, 4, 5].map((name) => queue.offer(task(name)))).toEqual([true, true, true, true, false]);
  expect(started).toEqual([1, 2]);
  expect(queue.stats()).toEqual({ running: 2, waiting: 2 });
  await endNext();
  expect(started).toEqual([1, 2, 3]);
  expect(queue.offer(task(6))).toBe(true);
  for (let i = 0; i < 5; i++) await endNext();
  expect(started).toEqual([1, 2, 3, 4, 6]);
  expect(queue.stats()).toEqual({ running: 0, waiting: 0 });
});

test('a queue is idle only when its running and waiting tasks are done', async () => {
  const { task, endNext } = tasks();
  const queue = createRequestQueue({ concurrency: 1, queue: 1 });
  await queue.idle();
  queue.offer(task(1));
  queue.offer(task(2));
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await endNext();
  expect(isIdle).toBe(false);
  await endNext();
  await idle;
});
