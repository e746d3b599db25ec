import { silentLog } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { expect, test } from 'vitest';
import { periodically, untilTick } from './periodic.ts';

test('a periodic job continues after a failure and never runs twice at once', async () => {
  let runs = 0;
  let atOnce = 0;
  let most = 0;
  const job = periodically({
    name: 'test',
    everyMs: 1,
    log: silentLog(),
    run: async () => {
      runs++;
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 3));
      atOnce--;
      if (runs % 2 === 0) throw new Error('failed');
    },
  });
  job.start();
  job.start();
  await waitFor(() => runs >= 5, { description: 'five runs' });
  await job.stop();
  expect(most).toBe(1);
});

test('stop aborts the current run, waits for it, and starts no other', async () => {
  let runs = 0;
  let ended = false;
  const job = periodically({
    name: 'test',
    everyMs: 1,
    log: silentLog(),
    run: async (signal) => {
      runs++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise((resolve) => setTimeout(resolve, 5));
      ended = true;
      throw signal.reason;
    },
  });
  job.start();
  await waitFor(() => runs === 1, { description: 'the job runs' });
  await job.stop();
  expect([runs, ended]).toEqual([1, true]);
});

test('a job that was never started stops at once', async () => {
  await periodically({ name: 'test', everyMs: 1, log: silentLog(), run: async () => {} }).stop();
});

test('pauses of a second and more end at the ticks of the process, at most half a second early or late', () => {
  for (const phase of [0, 1, 499.5, 999]) {
    for (const pauseMs of [900, 1_000, 1_100, 4_500, 9_999]) {
      for (const nowMs of [0, 3, 498, 1_234.5, 86_400_000]) {
        const ms = untilTick(pauseMs, nowMs, phase);
        expect(Math.abs(ms - pauseMs)).toBeLessThanOrEqual(500);
        const afterTick = (((nowMs + ms - phase) % 1_000) + 1_000) % 1_000;
        expect(Math.min(afterTick, 1_000 - afterTick)).toBeLessThan(0.001);
      }
    }
  }
  expect(untilTick(500, 1_234, 0)).toBe(500);
});
