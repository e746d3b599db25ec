import { expect, test } from 'vitest';
import { numberIn } from './typed-number.ts';

test.each([
  ['5', 5],
  ['0,5', 0.5],
  ['12.25', 12.25],
  ['', undefined],
  ['-1', undefined],
  ['1.000,50', undefined],
  ['R$ 5', undefined],
])('%j is the amount %j', (text, value) => expect(numberIn(text)).toBe(value));
