import { expect, test } from 'vitest';
import { overwriteGetLocale } from '../paraglide/runtime.js';
import { Failure, wordsOf } from './failure.ts';

test.each([
  ['en', 'The store has the most API keys it may have: 100.'],
  ['es', 'La tienda ya tiene el máximo de claves de API: 100.'],
  ['pt-BR', 'A loja já tem o máximo de chaves de API: 100.'],
] as const)('that a store has too many keys is said in %s, whatever the server said', (language, words) => {
  overwriteGetLocale(() => language);
  expect(wordsOf(new Failure('api_key_limit', 409, 'Too many API keys'))).toContain(words);
});
