import { expect, test } from 'vitest';
import { endOfTick } from './event-loop.ts';

test('all waiters of one tick of the event loop continue together, before those of the next tick', async () => {
  const order: string[] = [];
  const go = async (name: string) => {
    await endOfTick();
    order.push(name);
    queueMicrotask(() => order.push(`after ${name}`));
  };
  await Promise.all([go('a'), go('b'), new Promise<void>((resolve) => setImmediate(resolve)).then(() => go('c'))]);
  expect(order.slice(0, 4)).toEqual(['a', 'b', 'after a', 'after b']);
  expect(order.slice(4)).toEqual(['c', 'after c']);
});
