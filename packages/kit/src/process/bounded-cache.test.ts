import { expect, test } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

test('a full cache forgets the entry that was not used for the longest time', () => {
  const cache = createBoundedCache<string, number>(3);
  for (const [index, name] of ['a', 'b', 'c'].entries()) cache.set(name, index);
  cache.get('a');
  cache.set('d', 3);
  cache.set('c', 4);
  expect([...cache.entries()].sort()).toEqual([
    ['a', 0],
    ['c', 4],
    ['d', 3],
  ]);
});

test('a cache takes no memory for entries that it does not have', () => {
  const before = process.memoryUsage();
  const caches = Array.from({ length: 10 }, () => createBoundedCache<string, number>(1_000_000));
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  expect(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(10_000_000);
  expect(caches.map(({ size }) => size)).toEqual(Array(10).fill(0));
});
