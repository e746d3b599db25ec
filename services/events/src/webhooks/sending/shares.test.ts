import { createRandom } from '@mostrador/testing/random';
import { describe, expect, test } from 'vitest';
import { createShares } from './shares.ts';

const limits = { most: 500, reserve: 100 };
const endless = 1_000_000;

describe('a store', () => {
  test('alone gets at most a ninth of what is free beside the reserve', () => {
    const shares = createShares(limits);
    expect(shares.take('a', endless)).toBe(45);
    expect(shares.take('a', 1)).toBe(0);
    expect(shares.full()).toEqual(['a']);
  });

  test('gets another place for each that it gives back', () => {
    const shares = createShares(limits);
    shares.take('a', endless);
    shares.give('a', 5);
    expect(shares.full()).toEqual([]);
    expect(shares.take('a', endless)).toBe(5);
  });
});

test.each([3, 10, 50, 120])('%d stores that give nothing back leave a place to further ones', (stores) => {
  const shares = createShares(limits);
  for (let store = 0; store < stores; store += 1) expect(shares.take(`slow ${store}`, endless)).toBeGreaterThan(0);
  expect(shares.take('other', endless)).toBeGreaterThan(0);
});

test('three stores that take everything leave others as much as one of them has', () => {
  const shares = createShares(limits);
  const slow = ['a', 'b', 'c'].map((store) => shares.take(store, endless));
  expect(shares.take('other', endless)).toBeGreaterThanOrEqual(Math.min(...slow) - 5);
});

const seed = Date.now() % 1_000_000;

test(`no history gives out more places than there are, or loses one (seed ${seed})`, () => {
  const random = createRandom(seed);
  const shares = createShares(limits);
  const taken = new Map<string, number>();
  for (let step = 0; step < 20_000; step += 1) {
    const store = `store ${random.below(200)}`;
    const has = taken.get(store) ?? 0;
    const all = [...taken.values()].reduce((sum, count) => sum + count, 0);
    if (random.next() < 0.6) {
      const got = shares.take(store, 1 + random.below(20));
      if (has === 0 && all < limits.most) expect(got).toBeGreaterThan(0);
      taken.set(store, has + got);
      expect(all + got).toBeLessThanOrEqual(limits.most);
    } else {
      const given = random.below(has + 1);
      shares.give(store, given);
      taken.set(store, has - given);
    }
  }
  for (const [store, count] of taken) shares.give(store, count);
  expect(shares.full()).toEqual([]);
  expect(shares.take('other', endless)).toBe(45);
});
