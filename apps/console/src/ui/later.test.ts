import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { doLater } from './later.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('it is done once, after the time to take it back', () => {
  const act = vi.fn();
  doLater(act, 1_000);
  vi.advanceTimersByTime(999);
  expect(act).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(act).toHaveBeenCalledTimes(1);
});

test('what was taken back is never done', () => {
  const act = vi.fn();
  doLater(act, 1_000)();
  vi.advanceTimersByTime(5_000);
  expect(act).not.toHaveBeenCalled();
});
