import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBatch } from './batch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function record(handled: () => Promise<unknown> = async () => {}) {
  const seen: number[][] = [];
  const handle = (items: readonly number[]) => {
    seen.push([...items]);
    return handled();
  };
  return { seen, batch: createBatch<number>({ ms: 250, limitMs: 5_000, handle }) };
}

test('the first item is handed on at once, and a burst after it together', async () => {
  const { seen, batch } = record();
  batch.add([1]);
  for (let item = 2; item <= 1000; item += 1) batch.add([item]);
  expect(seen).toEqual([[1]]);
  await vi.advanceTimersByTimeAsync(250);
  expect(seen).toHaveLength(2);
  expect(seen[1]).toHaveLength(999);
});

test('a steady stream is handed on at most four times a second, and nothing is lost', async () => {
  const { seen, batch } = record();
  for (let at = 0; at < 1_000; at += 1) {
    batch.add([at]);
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(250);
  expect(seen.length).toBeLessThanOrEqual(42);
  expect(seen.flat()).toHaveLength(1_000);
});

test('what takes long is waited for up to the limit', async () => {
  const { seen, batch } = record(() => new Promise(() => {}));
  batch.add([1]);
  batch.add([2]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(seen).toEqual([[1]]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toEqual([[1], [2]]);
});

test('what is added for later waits so long, and does not hold back the others', async () => {
  const { seen, batch } = record();
  batch.addLater([1], 2_000);
  batch.add([2]);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(seen).toEqual([[2]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual([[2], [1]]);
});

test('a stopped batch hands nothing on', async () => {
  const { seen, batch } = record();
  batch.add([1]);
  batch.add([2]);
  batch.addLater([3], 100);
  batch.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toEqual([[1]]);
});
