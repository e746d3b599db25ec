import { expect, test } from 'vitest';
import { expiryOf, stateOf } from './key-state.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const [before, after] = ['2026-11-23T11:59:59Z', '2026-11-23T12:00:01Z'];

test.each([
  [null, null, 'active'],
  [null, after, 'active'],
  [null, before, 'expired'],
  [before, after, 'revoked'],
  [before, before, 'revoked'],
] as const)('a key revoked at %s that expires at %s is %s', (revoked_at, expires_at, state) => {
  expect(stateOf({ revoked_at, expires_at }, now)).toBe(state);
});

test('a key expires after its days, or never', () => {
  expect(expiryOf(30, now)).toBe('2026-12-23T12:00:00.000Z');
  expect(expiryOf(null, now)).toBeNull();
});
