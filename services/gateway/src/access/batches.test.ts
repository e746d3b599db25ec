import { expect, test } from 'vitest';
import { createBatches } from './batches.ts';

/** A source whose reads end when the test says so. */
function scripted({ mostTogether = 3, readsAtOnce = 1, mostWaiting = 10 } = {}) {
  const asked: number[][] = [];
  const running: PromiseWithResolvers<void>[] = [];
  const ask = createBatches<number, string>({
    ...{ mostTogether, readsAtOnce, mostWaiting },
    read: async (keys) => {
      asked.push(keys);
      const run = Promise.withResolvers<void>();
      running.push(run);
      await run.promise;
      return keys.map((key) => `value ${key}`);
    },
  });
  return { asked, ask, next: () => running.shift() };
}

test('keys that are asked for during a read are read together after it, in order', async () => {
  const { asked, ask, next } = scripted();
  const values = [1, 2, 3, 4, 5].map(ask);
  expect(asked).toEqual([[1]]);
  next()?.resolve();
  expect(await values[0]).toBe('value 1');
  await expect.poll(() => asked).toEqual([[1], [2, 3, 4]]);
  next()?.resolve();
  await expect.poll(() => asked).toEqual([[1], [2, 3, 4], [5]]);
  next()?.resolve();
  expect(await Promise.all(values)).toEqual(['value 1', 'value 2', 'value 3', 'value 4', 'value 5']);
});

test('a read that fails fails its keys, and the next one is made', async () => {
  const { ask, next } = scripted();
  const [first, second] = [ask(1), ask(2)];
  next()?.reject(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await expect.poll(() => next()?.resolve() ?? true).toBe(true);
  expect(await second).toBe('value 2');
});

test('more keys than may wait are refused', async () => {
  const { ask, next } = scripted({ mostWaiting: 2 });
  const values = [ask(1), ask(2), ask(3)];
  await expect(ask(4)).rejects.toMatchObject({ code: 'service_unavailable' });
  next()?.resolve();
  await values[0];
  await expect.poll(() => next()?.resolve() ?? true).toBe(true);
  expect(await Promise.all(values)).toHaveLength(3);
});
