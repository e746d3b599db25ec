import { expect, test } from 'vitest';
import { endOfTick } from './event-loop.ts';

test('all that wait in one tick of the event loop go on together, before anything new is taken up', async () => {
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
