import { expect, test } from 'vitest';
import { useOfDay } from './budget.ts';

const day = {
  calls: 0,
  most_calls: 500,
  spent: null,
  most_spent: null,
  tokens: 0,
  most_tokens: null,
  reached_at: null,
};

test.each([
  ['few calls', { calls: 399 }, 'little'],
  ['most of the calls', { calls: 400 }, 'nearly'],
  ['little money', { spent: 3.99, most_spent: 5 }, 'little'],
  ['most of the money', { spent: 4, most_spent: 5 }, 'nearly'],
  ['exactly 80 percent in fractions', { spent: 0.056, most_spent: 0.07 }, 'nearly'],
  ['few tokens', { tokens: 799, most_tokens: 1000 }, 'little'],
  ['most of the tokens', { tokens: 800, most_tokens: 1000 }, 'nearly'],
  ['tokens without a limit', { tokens: 1e9 }, 'little'],
  ['money without a limit', { spent: 1000 }, 'little'],
  ['a call that was refused', { calls: 10, reached_at: '2026-11-28T12:00:00.000Z' }, 'all'],
] as const)('%s: the use of the day is told', (_, used, expected) =>
  expect(useOfDay({ ...day, ...used })).toBe(expected),
);
