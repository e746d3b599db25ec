import { expect, test } from 'vitest';
import { changedLimits } from './changed-limits.ts';

const shown = { most_calls: 500, most_spent: 5 };

test.each([
  [{}, {}],
  [{ most_calls: 0 }, { most_calls: 0 }],
  [{ most_spent: null }, { most_spent: null }],
])('of the limits only what was changed is sent: %j', (change, sent) => {
  expect(changedLimits(shown, { ...shown, ...change })).toEqual(sent);
});
