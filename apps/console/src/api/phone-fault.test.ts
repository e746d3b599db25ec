import { expect, test } from 'vitest';
import { overwriteGetLocale } from '../paraglide/runtime.js';
import { Failure } from './failure.ts';
import { phoneFaultOf } from './phone-fault.ts';

overwriteGetLocale(() => 'en');

const failure = (detail: string) =>
  Object.assign(Object.create(Failure.prototype), { faults: [{ pointer: '#/customer_phone', detail }] });
const wordsFor = (detail: string) => phoneFaultOf(failure(detail), '#/customer_phone', () => 'bad');

test('a phone that can be two numbers names both, in every language of the API', () => {
  for (const detail of [
    'is a number of two countries: write `+5551987650001` or `+51987650001`',
    'é um número de dois países: escreva `+5551987650001` ou `+51987650001`',
  ]) {
    expect(wordsFor(detail)).toMatch(/\+5551987650001.*\+51987650001/);
  }
});

test('another fault of a phone is `bad`, and a fault of another member is no phone fault', () => {
  expect(wordsFor('must be a phone number with its country code, such as 5511961234567')).toBe('bad');
  expect(phoneFaultOf(failure('x'), '#/name', () => 'bad')).toBeUndefined();
});
