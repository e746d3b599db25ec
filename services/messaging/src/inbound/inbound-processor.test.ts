import { silentLog } from '@mostrador/testing/context';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInboundProcessor } from './inbound-processor.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A processor that notes when it runs, in milliseconds. A run takes `tookMs`. */
function open(tookMs = 0, hasOpen: () => Promise<boolean> = async () => true) {
  const runs: number[] = [];
  const beganMs = performance.now();
  const processor = createInboundProcessor({
    log: silentLog(),
    process: async () => {
      runs.push(performance.now() - beganMs);
      if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    },
    hasOpen,
  });
  processor.start();
  const comes = async (afterMs: number) => {
    await vi.advanceTimersByTimeAsync(afterMs);
    await processor.ingest(async () => {});
  };
  return { processor, runs, comes };
}

test('a payload that comes alone is processed at once, and those of a trickle together', async () => {
  const { processor, runs, comes } = open();
  await comes(0);
  expect(runs).toEqual([0]);
  for (const _ of [1, 2, 3, 4]) await comes(20);
  await vi.advanceTimersByTimeAsync(200);
  expect(runs).toEqual([0, 200]);
  await comes(220);
  expect(runs).toEqual([0, 200, 500]);
  await processor.stop();
});

test('a payload that comes during a long run is processed at its end', async () => {
  const { processor, runs, comes } = open(250);
  await comes(0);
  await comes(60);
  await vi.advanceTimersByTimeAsync(200);
  expect(runs).toEqual([0, 250]);
  const stopped = processor.stop();
  await vi.advanceTimersByTimeAsync(250);
  await stopped;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toHaveLength(2);
});

test('while payloads are open, or the database does not say so, it looks every 500 ms, and else every 5 s', async () => {
  let isOpen: () => Promise<boolean> = async () => true;
  const { processor, runs, comes } = open(0, () => isOpen());
  await vi.advanceTimersByTimeAsync(1_700);
  expect(runs).toEqual([500, 1_200]);
  isOpen = () => Promise.reject(new Error('no connection'));
  await vi.advanceTimersByTimeAsync(1_200);
  expect(runs.slice(2)).toEqual([1_900, 2_600]);
  isOpen = async () => false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs.slice(4)).toEqual([3_300, 8_500]);
  // What comes is processed at once, and what it leaves is looked for as often as before.
  isOpen = async () => true;
  await comes(50);
  await vi.advanceTimersByTimeAsync(700);
  expect(runs.slice(6)).toEqual([12_950, 13_450]);
  await processor.stop();
});
