import { silentLog } from '@mostrador/testing/context';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from './client.ts';
import { createPool } from './pool.ts';

/** A pool of clients that do nothing, and the number of those that are open. */
function poolOf(size: number) {
  let open = 0;
  const create = (onBroken: () => void): Client => {
    open += 1;
    const close = () => {
      open -= 1;
      onBroken();
    };
    return { opened: true, broken: false, end: async () => close(), destroy: close } as Partial<Client> as Client;
  };
  const pool = createPool({ size, queue: 100, name: 'test', log: silentLog(), clients: { hosts: 1, create } });
  const use = (count: number) =>
    Promise.all(Array.from({ length: count }, () => pool.use(Date.now() + 1000, () => Promise.resolve())));
  return { pool, use, open: () => open };
}

test('connections that are not used for a minute are closed, except for one', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { use, open } = poolOf(8);
  await use(8);
  expect(open()).toBe(8);
  for (let second = 0; second < 130; second += 1) {
    await use(2);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(open()).toBe(2);
  await vi.advanceTimersByTimeAsync(130_000);
  expect(open()).toBe(1);
  await use(8);
  expect(open()).toBe(8);
});

test('of the work that waits, the first gets the next free connection', async () => {
  const { pool } = poolOf(1);
  const order: string[] = [];
  const begin = (name: string, isFirst = false) => {
    const done = Promise.withResolvers<void>();
    const work = () => {
      order.push(name);
      return done.promise;
    };
    return { used: pool.use(Date.now() + 1000, work, { isFirst }), end: done.resolve };
  };
  const all = [begin('running'), begin('second'), begin('third'), begin('first', true)];
  expect(pool.stats()).toMatchObject({ size: 1, busy: 1, waiting: 3 });
  for (const { end } of all) end();
  await Promise.all(all.map(({ used }) => used));
  expect(order).toEqual(['running', 'first', 'second', 'third']);
});
