import { createBucket } from '@mostrador/testing/providers/whatsapp/rules';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeAtMs, numberRate } from './rates.ts';

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
