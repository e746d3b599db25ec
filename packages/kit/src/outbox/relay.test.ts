import { expect, test } from 'vitest';
import { pauseAfter } from './relay.ts';

const nothing = { workflow: false, event: false, feed: false, nextMs: Number.POSITIVE_INFINITY };

test.each([
  ['nothing waits', nothing, 5_000],
  ['wake-ups are due', { ...nothing, workflow: true }, 1_000],
  ['events are due', { ...nothing, event: true }, 1_000],
  ['public events are due', { ...nothing, feed: true }, 1_000],
  ['a row is due soon', { ...nothing, nextMs: 20 }, 1_000],
  ['a row is due in 3 s', { ...nothing, nextMs: 3_000 }, 3_000],
  ['a row is due in ten minutes', { ...nothing, nextMs: 600_000 }, 5_000],
  ['PostgreSQL does not answer', undefined, 1_000],
])('the pause of the relay when %s', (_, found, pauseMs) => {
  expect(pauseAfter(found, 1_000)).toBe(pauseMs);
});
