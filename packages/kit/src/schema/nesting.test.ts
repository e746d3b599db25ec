import { expect, test } from 'vitest';
import { isTooDeep } from './nesting.ts';

const nested = (levels: number): unknown => JSON.parse(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`);

test('a value is too deep from the 65th level on, and one deeper than the stack exhausts nothing', () => {
  expect([1, 'x', null, [], nested(64)].map((value) => isTooDeep(value))).toEqual([false, false, false, false, false]);
  expect([nested(66), nested(200_000)].map((value) => isTooDeep(value))).toEqual([true, true]);
});
