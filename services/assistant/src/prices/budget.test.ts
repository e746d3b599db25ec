import { expect, test } from 'vitest';
import { reachedOf } from './budget.ts';

const limits = { mostCalls: 100, mostMicros: 1_000_000, mostTokens: 100_000 };
const calls = (percent: number) => ({ percent, limit: 'calls' });
const money = (percent: number) => ({ percent, limit: 'money' });
const tokens = (percent: number) => ({ percent, limit: 'tokens' });

test.each<[string, { limits?: object; day?: object; refused?: number; refusedTokens?: number }, object | undefined]>([
  ['less than 80 percent', { day: { calls: 79, cost_micros: 799_999, settled_micros: 799_999 } }, undefined],
  ['80 percent of the calls', { day: { calls: 80 } }, calls(80)],
  ['all calls, none refused', { day: { calls: 100 } }, calls(80)],
  ['a call after the last', { day: { calls: 100 }, refused: 0 }, calls(100)],
  ['80 percent of the money', { day: { cost_micros: 800_000, settled_micros: 800_000 } }, money(80)],
  ['calls that run and may cost 80 percent', { day: { cost_micros: 800_000, settled_micros: 0 } }, undefined],
  ['a call that may cost more than is left', { day: { cost_micros: 950_000 }, refused: 50_001 }, money(100)],
  ['a refused call that fits now', { day: { cost_micros: 950_000 }, refused: 50_000 }, undefined],
  ['a refused call that fits now, near the limit', { day: { calls: 90 }, refused: 50_000 }, calls(80)],
  ['both limits', { day: { calls: 80, settled_micros: 900_000 } }, calls(80)],
  ['both limits, and a refused call', { day: { calls: 100, cost_micros: 1_000_000 }, refused: 1 }, calls(100)],
  [
    '80 percent of the calls, and no money for a call',
    { day: { calls: 80, cost_micros: 1_000_000 }, refused: 1 },
    money(100),
  ],
  [
    'money without a limit',
    { limits: { mostMicros: null }, day: { cost_micros: 9e9, settled_micros: 9e9 } },
    undefined,
  ],
  ['80 percent of the tokens', { day: { tokens: 80_000, settled_tokens: 80_000 } }, tokens(80)],
  ['calls that run and may have 80 percent of the tokens', { day: { tokens: 80_000 } }, undefined],
  ['a call that may have more tokens than are left', { day: { tokens: 95_000 }, refusedTokens: 5_001 }, tokens(100)],
  ['a refused call whose tokens fit now', { day: { tokens: 95_000 }, refusedTokens: 5_000 }, undefined],
  ['money and tokens', { day: { settled_micros: 900_000, settled_tokens: 90_000 } }, money(80)],
  ['tokens without a limit', { limits: { mostTokens: null }, day: { tokens: 9e9, settled_tokens: 9e9 } }, undefined],
  ['4 of 5 calls', { limits: { mostCalls: 5 }, day: { calls: 4 } }, calls(80)],
  ['3 of 4 calls', { limits: { mostCalls: 4 }, day: { calls: 3 } }, undefined],
  ['a day without calls', { limits: { mostCalls: 0 } }, calls(80)],
  ['a day without money', { limits: { mostMicros: 0 } }, money(80)],
])('what is reached of a day: %s', (_, { day, refused, refusedTokens, ...other }, reached) => {
  const used = { calls: 0, cost_micros: 0, tokens: 0, settled_micros: 0, settled_tokens: 0, ...day };
  const isRefused = refused !== undefined || refusedTokens !== undefined;
  const call = isRefused ? { micros: refused ?? 0, tokens: refusedTokens ?? 0 } : undefined;
  expect(reachedOf({ ...limits, ...other.limits }, used, call)).toEqual(reached);
});
