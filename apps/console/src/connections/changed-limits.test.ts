import { expect, test } from 'vitest';
import { changedLimits } from './changed-limits.ts';

const shown = { most_calls: 500, most_spent: 5, most_tokens: null };

test.each([
  [{}, {}],
  [{ most_calls: 0 }, { most_calls: 0 }],
  [{ most_spent: null }, { most_spent: null }],
  [{ most_tokens: 1000 }, { most_tokens: 1000 }],
])('of the limits only what was changed is sent: %j', (change, sent) => {
  expect(changedLimits(shown, { ...shown, ...change })).toEqual(sent);
});
