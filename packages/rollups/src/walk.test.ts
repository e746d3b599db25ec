import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quarterMs } from './quarter.ts';
import { endOfWork, walk } from './walk.ts';

const dayMs = 96 * quarterMs;
const longAway = () => Date.now() + 60_000;

/** Walks over moments and returns what each stretch met. */
async function walkOver(moments: readonly number[], from: number, until: number, endsAtMs = longAway()) {
  const within = (from: Date, to: Date) => moments.filter((at) => at >= from.getTime() && at < to.getTime());
  const stretches: { from: number; to: number; met: number[] }[] = [];
  let looked = 0;
  const reached = await walk(
    { from: new Date(from), until: new Date(until), endsAtMs },
    async (from, to) => {
      looked += 1;
      return within(from, to).length === 0;
    },
    async (from, to) => {
      const met = within(from, to);
      stretches.push({ from: from.getTime(), to: to.getTime(), met });
      return met.length;
    },
  );
  return { reached: reached.getTime(), stretches, looked };
}

test('the walk meets every moment once, in order, in stretches of at most a day', async () => {
  const span = 20_000 * dayMs;
  const moment = fc.integer({ min: 0, max: span - 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { maxLength: 30 }), async (unsorted) => {
      const moments = unsorted.sort((a, b) => a - b);
      const { reached, stretches } = await walkOver(moments, 0, span);
      expect(reached).toBe(span);
      expect(stretches.flatMap(({ met }) => met)).toEqual(moments);
      expect(stretches.map(({ from }) => from)).toEqual([0, ...stretches.slice(0, -1).map(({ to }) => to)]);
      for (const { from, to, met } of stretches) {
        expect([from % quarterMs, to % quarterMs]).toEqual([0, 0]);
        if (met.length > 0) expect(to - from).toBeLessThanOrEqual(dayMs);
      }
    }),
  );
});

test('the walk crosses empty decades in few steps', async () => {
  const { stretches, looked } = await walkOver([19_000 * dayMs + 5], 0, 20_000 * dayMs);
  expect(stretches.length + looked).toBeLessThan(100);
});

test('the walk stops at its end time, and when the work stops it', async () => {
  expect(await walkOver([1], 0, dayMs, Date.now() - 1)).toMatchObject({ reached: 0, stretches: [] });
  const span = { from: new Date(0), until: new Date(dayMs), endsAtMs: longAway() };
  const reached = await walk(
    span,
    async () => false,
    async (from) => (from.getTime() < dayMs / 8 ? 1 : undefined),
  );
  expect(reached.getTime()).toBeGreaterThan(0);
  expect(reached.getTime()).toBeLessThan(dayMs);
});

test('work ends halfway to the deadline, and after at most some seconds', () => {
  const now = Date.now();
  expect(endOfWork(now + 4000) - now).toBeGreaterThan(1500);
  expect(endOfWork(now + 4000) - now).toBeLessThan(2500);
  expect(endOfWork(now + 600_000) - now).toBeLessThan(6000);
});
