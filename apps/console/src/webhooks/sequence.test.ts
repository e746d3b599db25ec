import { expect, test } from 'vitest';
import { sequenceOf } from './sequence.ts';

test.each([
  ['', undefined],
  ['  ', undefined],
  [null, undefined],
  ['7', 7],
  [' 12 ', 12],
  ['0', null],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['seven', null],
  ['99999999999999999999', null],
])('%j is read as %s', (written, sequence) => {
  expect(sequenceOf(written)).toBe(sequence);
});
