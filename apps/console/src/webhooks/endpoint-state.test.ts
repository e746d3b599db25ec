import { expect, test } from 'vitest';
import { stateOf } from './endpoint-state.ts';

const at = '2026-11-23T12:00:00Z';

test.each([
  ['enabled', null, null, null, 'unused'],
  ['enabled', null, at, null, 'working'],
  ['enabled', null, at, at, 'failing'],
  ['enabled', null, null, at, 'failing'],
  ['paused', null, at, at, 'paused'],
  ['disabled', 'gone', at, at, 'gone'],
  ['disabled', 'failing', at, at, 'gave_up'],
] as const)('an endpoint that is %s (%s), last accepted an event at %s and fails since %s is %s', (...facts) => {
  const [status, disabled_reason, last_success_at, failing_since, state] = facts;
  expect(stateOf({ status, disabled_reason, health: { last_success_at, failing_since } })).toBe(state);
});
