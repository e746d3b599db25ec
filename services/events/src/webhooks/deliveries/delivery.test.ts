import { expect, test } from 'vitest';
import { nextAttemptAt } from './delivery.ts';

const at = (minute: number) => new Date(Date.UTC(2027, 0, 31, 9, minute));
const now = at(10);
const enabled = { status: 'enabled', blocked_until: null } as const;

test.each([
  ['is due later', at(20), enabled, at(20)],
  ['was due before', at(5), enabled, now],
  ['was due before, and its endpoint is not tried until later', at(5), { ...enabled, blocked_until: at(15) }, at(15)],
  ['is due after its endpoint is tried again', at(20), { ...enabled, blocked_until: at(15) }, at(20)],
  ['was due before, and its endpoint may be tried since', at(5), { ...enabled, blocked_until: at(8) }, now],
  ['is final', null, enabled, null],
  ['waits for a paused endpoint', at(5), { status: 'paused', blocked_until: null } as const, null],
  ['waits for a disabled endpoint', at(20), { status: 'disabled', blocked_until: null } as const, null],
])('the next attempt of a delivery that %s is never in the past', (_, next_attempt_at, endpoint, expected) => {
  expect(nextAttemptAt({ next_attempt_at }, endpoint, now)).toEqual(expected);
});
