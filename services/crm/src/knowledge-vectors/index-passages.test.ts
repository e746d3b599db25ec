import { expect, test } from 'vitest';
import { afterFailure } from './index-passages.ts';

test.each([
  ['budget_reached', { attempts: 3, isOfTexts: false }],
  ['rate_limited', { attempts: 4, isOfTexts: false }],
  ['not_connected', { attempts: 4, isOfTexts: false }],
  ['malformed', { attempts: 4, isOfTexts: true }],
  ['rejected', { attempts: 4, isOfTexts: true }],
  ['unavailable', { attempts: 4, isOfTexts: true }],
  ['timed_out', { attempts: 4, isOfTexts: true }],
])('after %s: %o', (failure, expected) => {
  expect(afterFailure(3, { failure, retryAfterSeconds: 600 })).toMatchObject({ failure, ...expected });
});

test('while the budget is used up the next attempt is when the assistant says, however often it was', () => {
  const waits = [0, 9].map((attempts) => afterFailure(attempts, { failure: 'budget_reached', retryAfterSeconds: 90 }));
  expect(waits.map(({ nextInMs }) => nextInMs)).toEqual([90_000, 90_000]);
});
