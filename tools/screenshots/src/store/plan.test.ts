import { expect, test } from 'vitest';
import { conversations } from './conversations.ts';
import { momentsOf, planMonth } from './plan.ts';

const now = new Date('2026-11-23T17:00:00Z');
const most = 400;

test('a month has conversations on most days, in opening hours, and the same in every run', () => {
  const month = planMonth(now, most);
  expect(month.length).toBeGreaterThan(60);
  expect(month).toEqual(planMonth(now, most));
  const hours = month.map(({ lastAt }) => (lastAt.getUTCHours() + 21) % 24);
  expect(Math.min(...hours)).toBeGreaterThanOrEqual(9);
  expect(Math.max(...hours)).toBeLessThan(18);
  expect(new Set(month.map(({ lastAt }) => lastAt.toISOString().slice(0, 10))).size).toBeGreaterThan(20);
});

test('the lines of a conversation follow one another, and the last one is when the conversation ended', () => {
  for (const { lines } of conversations) {
    const moments = momentsOf(lines, now).map((at) => at.getTime());
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(now.getTime() - (moments.at(-1) ?? 0)).toBeLessThan(60_000);
  }
});
