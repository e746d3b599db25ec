import { expect, test } from 'vitest';
import type { Followup } from '../api/platform.ts';
import { isDelayed, mayWait, readFollowupSearch, stateOf } from './followup-state.ts';

const followup = (more: Partial<Followup>) =>
  ({ status: 'pending', due_at: '2026-11-23T12:00:00Z', next_attempt_at: '2026-11-23T12:00:00Z', ...more }) as Followup;

test('an unknown list in the address is the first one', () => {
  expect(stateOf('failed')).toBe('failed');
  expect(stateOf('sending')).toBe('pending');
  expect(stateOf(undefined)).toBe('pending');
});

test('the address keeps a period that the screen offers', () => {
  expect(readFollowupSearch({ days: 7 })).toEqual({ days: '7' });
  expect(readFollowupSearch({ days: '8' })).toEqual({});
});

test('one that waits for the sending window is delayed, one that is on time or final is not', () => {
  expect(isDelayed(followup({ next_attempt_at: '2026-11-24T09:00:00Z' }))).toBe(true);
  expect(isDelayed(followup({}))).toBe(false);
  expect(isDelayed(followup({ status: 'cancelled', next_attempt_at: null }))).toBe(false);
});

test('a cancellation waits for an undo only when the follow-up is not about to be sent', () => {
  const due = Date.parse('2026-11-23T12:00:00Z');
  expect(mayWait(followup({}), due - 60_000)).toBe(true);
  expect(mayWait(followup({}), due - 15_000)).toBe(false);
});
