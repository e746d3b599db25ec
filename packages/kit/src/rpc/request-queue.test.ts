import { expect, test } from 'vitest';
import { createRequestQueue, type RequestQueueLimits } from './request-queue.ts';

/** A queue of requests that end on `end`. A request's name is its store's letter and a number. */
function createQueue(limits: RequestQueueLimits) {
  const queue = createRequestQueue(limits);
  const ends = new Map<string, () => void>();
  const started: string[] = [];
  const refused: string[] = [];
  const offer = (...names: string[]) => {
    for (const name of names) {
      queue.offer(name.slice(0, 1), {
        run() {
          started.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        },
        refuse: () => void refused.push(name),
      });
    }
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    ends.delete(name);
    await settle();
  };
  /** Ends the request that has run longest, until none is left. */
  const endAll = async () => {
    for (let [name] = [...ends.keys()]; name !== undefined; [name] = [...ends.keys()]) await end(name);
  };
  return { queue, started, refused, offer, end, endAll };
}

test('a queue runs requests up to its concurrency, keeps more in order up to its limit and refuses the rest', async () => {
  const { queue, started, refused, offer, end, endAll } = createQueue({ concurrency: 2, queue: 2 });
  offer('a1', 'a2', 'a3', 'a4', 'a5');
  expect(started).toEqual(['a1', 'a2']);
  expect(refused).toEqual(['a5']);
  expect(queue.stats()).toEqual({ running: 2, waiting: 2 });
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'a3']);
  offer('a6');
  await endAll();
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'a6']);
  expect(queue.stats()).toEqual({ running: 0, waiting: 0 });
});

test('a queue is idle only when its running and waiting requests are done', async () => {
  const { queue, offer, end } = createQueue({ concurrency: 1, queue: 1 });
  await queue.idle();
  offer('a1', 'a2');
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await end('a1');
  expect(isIdle).toBe(false);
  await end('a2');
  await idle;
});

test('waiting requests start in turn by store, in order within a store', async () => {
  const { started, offer, endAll } = createQueue({ concurrency: 1, queue: 10 });
  offer('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  await endAll();
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('a free slot goes to the store with the fewest running requests', async () => {
  const { started, offer, end } = createQueue({ concurrency: 4, queue: 10 });
  offer('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3');
  await end('a1');
  await end('a2');
  expect(started.slice(4)).toEqual(['b1', 'b2']);
  await end('b1');
  expect(started.slice(6)).toEqual(['b3']);
});

test('one store runs no more than its share, even while slots are free', async () => {
  const { queue, started, offer, end } = createQueue({ concurrency: 4, queue: 10, perStore: 2 });
  offer('a1', 'a2', 'a3', 'a4');
  expect(queue.stats()).toEqual({ running: 2, waiting: 2 });
  offer('b1', 'b2', 'b3');
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('b1');
  await end('b2');
  await end('b3');
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'b3']);
  await end('a1');
  expect(started.at(-1)).toBe('a3');
});

test('when no place is free, the store with the most waiting requests gives up its newest one', async () => {
  const { started, refused, offer, endAll } = createQueue({ concurrency: 1, queue: 4 });
  offer('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1');
  expect(refused).toEqual(['a5', 'a4', 'b3', 'a3']);
  await endAll();
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']);
});

test('the queue says whether it would take a request, and does not change by that', () => {
  const { queue, offer, refused } = createQueue({ concurrency: 1, queue: 2 });
  expect(queue.hasRoom('a')).toBe(true);
  offer('a1', 'a2', 'a3');
  expect([queue.hasRoom('a'), queue.hasRoom('b')]).toEqual([false, true]);
  expect([queue.stats(), refused]).toEqual([{ running: 1, waiting: 2 }, []]);
  offer('b1');
  expect([queue.hasRoom('a'), queue.hasRoom('b'), queue.hasRoom('c')]).toEqual([false, false, false]);
});

test('each waiting request of a store waits for one of the store that floods, whatever its number', async () => {
  const { started, offer, endAll } = createQueue({ concurrency: 1, queue: 100 });
  offer(...Array.from({ length: 90 }, (_, index) => `a${index}`), 'b1', 'b2', 'b3');
  await endAll();
  expect(started.slice(0, 7)).toEqual(['a0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
});
