import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { databaseCheck } from './readiness.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('connections that are in use are asked every 5 s, and others whenever they have not answered for a while', async () => {
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  const ping = vi.fn(async () => {});
  const database = { ping, stats: () => ({ size: 2, busy: 0, waiting: 0, answeredAtMs }) };
  const shared = databaseCheck(database, 'DATABASE_SYSTEM_URL', { shared: true });
  const asked = async (seconds: number, isInUse: boolean) => {
    ping.mockClear();
    for (let second = 0; second < seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      if (isInUse) answeredAtMs = performance.now() - 900;
      await shared();
    }
    return ping.mock.calls.length;
  };
  expect(await asked(1, true)).toBe(1);
  expect(await asked(10, true)).toBe(2);
  expect(await asked(10, false)).toBeGreaterThanOrEqual(9);
  // A failure is asked about again at once, although other work was answered.
  ping.mockRejectedValue(
    Object.assign(new Error('read-only'), { code: 'service_unavailable', cause: { code: '25006' } }),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  for (let time = 0; time < 3; time += 1) {
    answeredAtMs = performance.now();
    await expect(shared()).rejects.toThrow('read-only');
  }
  const own = databaseCheck(database, 'DATABASE_URL');
  await expect(own()).rejects.toThrow('read-only');
});
