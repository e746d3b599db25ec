import { expect, test } from 'vitest';
import { overwriteGetLocale } from '../paraglide/runtime.js';
import { Failure, mayPass, wordsOf } from './failure.ts';

test.each([
  ['en', 'The store has the most API keys it may have: 100.'],
  ['es', 'La tienda ya tiene el máximo de claves de API: 100.'],
  ['pt-BR', 'A loja já tem o máximo de chaves de API: 100.'],
] as const)('that a store has too many keys is said in %s, whatever the server said', (language, words) => {
  overwriteGetLocale(() => language);
  expect(wordsOf(new Failure('api_key_limit', 409, 'Too many API keys'))).toContain(words);
});

test.each([
  [0, true],
  [403, false],
  [404, false],
  [412, false],
  [429, true],
  [503, true],
])('after %d another attempt is offered: %s', (status, offered) => {
  expect(mayPass(new Failure('x', status, ''))).toBe(offered);
});
