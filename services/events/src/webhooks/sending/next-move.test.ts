import { describe, expect, test } from 'vitest';
import {
  afterFailure,
  type Delivery,
  disabledAfterMs,
  dueAt,
  type Endpoint,
  endsOutage,
  nextMove,
  type Outcome,
  outageMs,
  type Queue,
  scheduleMs,
} from './next-move.ts';

const now = new Date('2026-01-12T12:00:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** No jitter. */
const middle = () => 0.5;

const well: Endpoint = {
  status: 'enabled',
  max_in_flight: 5,
  failures: 0,
  failing_since: null,
  last_failed_id: null,
  several_fail: false,
  blocked_until: null,
  last_success_at: null,
};
const failing: Endpoint = { ...well, failures: 1, failing_since: ago(minuteMs), last_failed_id: 'a' };
const delivery: Delivery = { id: 'a', is_test: false, step: 0, first_failed_at: null };
const failed = (status: number | null, retryAfterSeconds?: number): Extract<Outcome, { kind: 'failed' }> => ({
  kind: 'failed',
  error: status === null ? 'timeout' : `http_${status}`,
  status,
  body: null,
  retryAfterSeconds,
});
const after = (endpoint: Endpoint, one: Delivery, outcome: ReturnType<typeof failed>, random = middle) => {
  const result = afterFailure(endpoint, one, outcome, now, random);
  const msUntil = (at: Date | null) => at && at.getTime() - now.getTime();
  return {
    ...result,
    retryMs: msUntil(result.delivery.retryAt),
    blockedMs: msUntil(result.endpoint.blocked_until),
  };
};

describe('what may begin', () => {
  const load = { now, in_flight: 0, in_flight_until: null };

  test('an endpoint gets as many deliveries at once as it may have, less those that run', () => {
    expect(nextMove({ endpoint: well, ...load })).toEqual({ kind: 'claim', slots: 5 });
    expect(nextMove({ endpoint: well, ...load, in_flight: 3 })).toEqual({ kind: 'claim', slots: 2 });
  });

  test('a failing endpoint gets one probe, not one for each event', () => {
    expect(nextMove({ endpoint: failing, ...load })).toEqual({ kind: 'claim', slots: 1 });
    const until = new Date(now.getTime() + 9_000);
    expect(nextMove({ endpoint: failing, now, in_flight: 1, in_flight_until: until })).toMatchObject({
      kind: 'answer',
      next: { done: false, wake_at: until.toISOString() },
    });
  });

  test('a blocked endpoint gets nothing until its block ends', () => {
    const blocked = { ...failing, blocked_until: new Date(now.getTime() + 5_000) };
    expect(nextMove({ endpoint: blocked, ...load })).toMatchObject({
      kind: 'answer',
      next: { wake_at: blocked.blocked_until.toISOString() },
    });
    expect(nextMove({ endpoint: { ...failing, blocked_until: now }, ...load })).toMatchObject({ kind: 'claim' });
  });

  test.each(['paused', 'disabled'] as const)('an endpoint that is %s gets nothing', (status) => {
    expect(nextMove({ endpoint: { ...well, status }, ...load })).toMatchObject({
      kind: 'answer',
      next: { done: true },
    });
  });
});

describe('a delivery that failed', () => {
  test('is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then given up', () => {
    const waits = scheduleMs.map((_, step) => after(well, { ...delivery, step }, failed(500)).retryMs);
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hourMs);
    expect(waits).toEqual([5_000, 5 * minuteMs, 30 * minuteMs, ...hours, null]);
  });

  test('is retried with 20 % jitter either way', () => {
    expect(after(well, delivery, failed(500), () => 0).retryMs).toBe(4_000);
    expect(after(well, delivery, failed(500), () => 1).retryMs).toBe(6_000);
  });

  test('waits for the longer of its step and `Retry-After`', () => {
    expect(after(well, delivery, failed(429, 60)).retryMs).toBe(60_000);
    expect(after(well, { ...delivery, step: 1 }, failed(429, 60)).retryMs).toBe(5 * minuteMs);
    expect(after(well, delivery, failed(500, 60)).retryMs).toBe(60_000);
  });

  test('is not given up while the endpoint answers to nothing', () => {
    const last = { ...delivery, step: 9, first_failed_at: ago(70 * hourMs) };
    expect(after(well, last, failed(null)).retryMs).toBe(24 * hourMs);
    expect(after({ ...failing, last_success_at: ago(80 * hourMs) }, last, failed(null)).retryMs).toBe(24 * hourMs);
    expect(after({ ...failing, last_success_at: ago(hourMs) }, last, failed(null)).retryMs).toBeNull();
  });

  test('keeps the moment of its first failure', () => {
    expect(after(well, delivery, failed(500)).delivery.firstFailedAt).toEqual(now);
    const again = { ...delivery, step: 1, first_failed_at: ago(hourMs) };
    expect(after(well, again, failed(500)).delivery.firstFailedAt).toEqual(ago(hourMs));
  });
});

describe('the endpoint of a failed delivery', () => {
  test('is not blocked by one delivery that it rejects', () => {
    const { endpoint } = after(well, delivery, failed(500));
    expect(endpoint).toMatchObject({ failures: 1, failing_since: now, blocked_until: null, several_fail: false });
    expect(after(failing, delivery, failed(500)).endpoint).toMatchObject({ failures: 2, several_fail: false });
  });

  test('is blocked when deliveries of several events fail in a row', () => {
    const { endpoint, blockedMs } = after(failing, { ...delivery, id: 'b' }, failed(500));
    expect(endpoint).toMatchObject({ several_fail: true, last_failed_id: 'b' });
    expect(blockedMs).toBe(10_000);
  });

  test('is blocked when it does not answer, for longer each time up to 5 minutes', () => {
    const blocks = [0, 1, 2, 3, 4, 5, 6, 7, 50].map(
      (failures) => after({ ...failing, failures }, delivery, failed(null)).blockedMs,
    );
    expect(blocks).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1000));
  });

  test.each([429, 503])('is paused as a whole by %s, for `Retry-After`', (status) => {
    expect(after(well, delivery, failed(status, 90)).blockedMs).toBe(90_000);
    expect(after(well, delivery, failed(status)).blockedMs).toBe(5_000);
  });

  test('is disabled at once by 410, and the delivery is kept', () => {
    const { endpoint, retryMs } = after(well, { ...delivery, step: 9 }, failed(410));
    expect(endpoint.disabled).toBe('gone');
    expect(retryMs).toBe(0);
  });

  test('is disabled when everything failed for 120 hours', () => {
    const since = (ms: number) => ({ ...failing, failing_since: ago(ms) });
    expect(after(since(disabledAfterMs), delivery, failed(null)).endpoint.disabled).toBe('failing');
    expect(after(since(disabledAfterMs - 1), delivery, failed(null)).endpoint.disabled).toBeNull();
    expect(disabledAfterMs).toBe(120 * hourMs);
  });
});

describe('when the sender looks at an endpoint again', () => {
  const later = (ms: number) => new Date(now.getTime() + ms);
  const queue: Queue = { in_flight: 0, in_flight_until: null, next_at: null, held_until: null };

  test('never while nothing waits, or while it is not enabled', () => {
    expect(dueAt(well, queue)).toBeNull();
    expect(dueAt({ ...well, status: 'paused' }, { ...queue, next_at: now })).toBeNull();
  });

  test('when the next delivery is due or the first hold ends, whatever comes first', () => {
    expect(dueAt(well, { ...queue, next_at: later(2) })).toEqual(later(2));
    expect(dueAt(well, { ...queue, held_until: later(1) })).toEqual(later(1));
    expect(dueAt(well, { ...queue, next_at: later(2), held_until: later(1) })).toEqual(later(1));
    expect(dueAt(well, { ...queue, next_at: later(1), held_until: later(2) })).toEqual(later(1));
  });

  test('when the first lease ends, while as many run as may', () => {
    const busy = { ...queue, in_flight: 5, in_flight_until: later(9), next_at: later(1) };
    expect(dueAt(well, busy)).toEqual(later(9));
    expect(dueAt(well, { ...busy, in_flight: 4 })).toEqual(later(1));
    expect(dueAt(failing, { ...busy, in_flight: 1 })).toEqual(later(9));
  });

  test('not before its pause ends', () => {
    const paused = { ...failing, blocked_until: later(60) };
    expect(dueAt(paused, { ...queue, next_at: later(1) })).toEqual(later(60));
    expect(dueAt(paused, { ...queue, next_at: later(61) })).toEqual(later(61));
    expect(dueAt(paused, queue)).toBeNull();
  });
});

test('a success ends an outage when several deliveries failed for a minute', () => {
  const out: Endpoint = { ...failing, several_fail: true, failing_since: ago(outageMs) };
  expect(endsOutage(out, now)).toBe(true);
  expect(endsOutage({ ...out, several_fail: false }, now)).toBe(false);
  expect(endsOutage({ ...out, failing_since: ago(outageMs - 1) }, now)).toBe(false);
  expect(endsOutage(well, now)).toBe(false);
});
