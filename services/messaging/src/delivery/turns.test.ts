import { expect, test } from 'vitest';
import { shareOfConnections } from './connection-share.ts';
import { createTurns } from './turns.ts';

/** Turns whose tasks end when the test says so. */
function stage(atOnce: number) {
  const turns = createTurns(atOnce);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    take: (key: string, urgent?: boolean) =>
      turns.take(
        key,
        () => {
          begun.push(key);
          return new Promise<void>((resolve) => ends.set(key, resolve));
        },
        urgent,
      ),
    async end(key: string) {
      ends.get(key)?.();
      await new Promise(setImmediate);
    },
  };
}

test('tasks run in turn, no more than allowed at once, and each key once at a time', async () => {
  const { take, end, begun } = stage(2);
  for (const key of ['a', 'b', 'c', 'a', 'c']) take(key);
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  // `a` waits for itself, and holds up nothing.
  take('d');
  await end('c');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'a']);
});

test('what is urgent passes what waits, and what waits gets every second turn', async () => {
  const { take, end, begun } = stage(1);
  take('running');
  for (const key of ['b', 'c']) take(key);
  for (const key of ['u1', 'u2', 'u3']) take(key, true);
  for (const key of ['running', 'u1', 'b', 'u2', 'c', 'u3']) await end(key);
  expect(begun).toEqual(['running', 'u1', 'b', 'u2', 'c', 'u3']);
});

test('however few connections a process has, the pump has one, and does not come before the requests for all of them', () => {
  for (let size = 1; size <= 8; size += 1) {
    const { turns, first, firstOfNew } = shareOfConnections(size);
    expect(turns).toBeGreaterThanOrEqual(1);
    expect(Math.max(first, firstOfNew)).toBeLessThan(size);
  }
  expect(shareOfConnections(8)).toEqual({ turns: 6, first: 2, firstOfNew: 4 });
});
