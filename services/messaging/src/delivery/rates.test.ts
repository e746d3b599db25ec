import { createBucket } from '@mostrador/testing/providers/whatsapp/rules';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeAtMs, type NumberState, numberRate, sendRate, takeTurn } from './rates.ts';

test('a message that our rate limit lets through never exceeds the same limit at the provider', () => {
  fc.assert(
    fc.property(
      fc.record({ burst: fc.integer({ min: 1, max: 50 }), intervalMs: fc.integer({ min: 1, max: 6000 }) }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 100 }),
      (rate, pauses) => {
        const provider = createBucket(rate);
        let nowMs = 1_000_000;
        let tatMs = 0;
        for (const pause of pauses) {
          nowMs = Math.max(nowMs + pause, freeAtMs(tatMs, rate));
          // The provider counts the message on arrival; this side counts it later, when it records the answer.
          const refused = !provider.take(nowMs + pause / 2);
          nowMs += pause;
          tatMs = Math.max(tatMs, nowMs) + rate.intervalMs;
          if (refused) return false;
        }
        return true;
      },
    ),
  );
});

test('a full bucket lets its burst through at once, then one message per interval', () => {
  const rate = { intervalMs: 6000, burst: 3 };
  let tatMs = 0;
  const passedAt: number[] = [];
  for (let nowMs = 100_000; nowMs < 120_000; nowMs += 500) {
    while (freeAtMs(tatMs, rate) <= nowMs) {
      passedAt.push(nowMs - 100_000);
      tatMs = Math.max(tatMs, nowMs) + rate.intervalMs;
    }
  }
  expect(passedAt).toEqual([0, 0, 0, 6000, 12_000, 18_000]);
});

test('the burst of a number is a tenth of its per-second limit, and at least one message', () => {
  expect(numberRate({ number_rate: 80 })).toEqual({ intervalMs: 12.5, burst: 8 });
  expect(numberRate({ number_rate: 1 })).toEqual({ intervalMs: 1000, burst: 1 });
});

/** Sends `count` messages that are accepted at once. Each step runs `latenessMs()` after it was due. */
function simulate(count: number, number_rate: number, latenessMs: () => number): number[] {
  const rates = { slots: numberRate({ number_rate }), sends: sendRate({ number_rate }) };
  let state: NumberState = { tatMs: 0, sentTatMs: 0 };
  const sentAt: number[] = [];
  // Ordered by time, the next step last.
  const due = Array.from({ length: count }, () => ({ atMs: latenessMs(), slotAtMs: null as number | null }));
  due.sort((one, other) => other.atMs - one.atMs);
  for (let step = due.pop(); step; step = due.pop()) {
    const { atMs } = step;
    const { waitUntilMs, ...after } = takeTurn(state, step.slotAtMs, atMs, rates);
    state = after;
    if (waitUntilMs === null) {
      sentAt.push(atMs);
      continue;
    }
    const next = { atMs: waitUntilMs + latenessMs(), slotAtMs: waitUntilMs };
    const place = due.findIndex((other) => other.atMs <= next.atMs);
    due.splice(place < 0 ? due.length : place, 0, next);
  }
  return sentAt;
}

describe('the rate of a number', () => {
  const count = 1_000;
  const idealMs = (count / 80) * 1000;
  const lateness = fc.integer({ min: 0, max: 30_000 });

  test('stays at least 95 percent of its limit for any constant lateness of the steps', () => {
    fc.assert(
      fc.property(lateness, (ms) => {
        const sentAt = simulate(count, 80, () => ms);
        expect(sentAt).toHaveLength(count);
        // The first step is late once, and so is the last.
        expect(sentAt.at(-1)).toBeLessThanOrEqual(idealMs / 0.95 + 2 * ms);
      }),
      { numRuns: 30, examples: [[0], [499], [501], [600], [5_000]] },
    );
  });

  test('is never exceeded at the provider, whatever the lateness of each step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60_000 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (mostMs, random) => {
          const provider = createBucket({ burst: 80, intervalMs: 1000 / 80 });
          const sentAt = simulate(300, 80, () => mostMs * random.next().value);
          expect(sentAt).toHaveLength(300);
          expect(sentAt.filter((atMs) => !provider.take(atMs))).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });
});
