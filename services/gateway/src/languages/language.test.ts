import { expect, test } from 'vitest';
import { preferredLanguage } from './language.ts';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['pt-BR', 'pt-BR'],
  ['PT-br', 'pt-BR'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7', 'pt-BR'],
  ['en-US,en;q=0.9,pt-BR;q=0.8', 'en'],
  ['en;q=0.5, pt;q=0.7', 'pt-BR'],
  ['en-US, pt-BR;q=0.9, en;q=0.8', 'en'],
  ['pt, en', 'pt-BR'],
  ['en, pt', 'en'],
  ['de, pt;q=0.5', 'pt-BR'],
  ['de, fr;q=0.5', 'en'],
  ['*', 'en'],
  ['pt, *;q=0.5', 'pt-BR'],
  ['*, pt;q=0.5', 'en'],
  ['pt;q=0', 'en'],
  ['pt;q=0, *', 'en'],
  ['en;q=0, *', 'pt-BR'],
  ['en-US, *', 'en'],
  ['en;q=0, pt;q=0, *', 'en'],
  ['pt;q=high', 'en'],
  ['ptx, constructor', 'en'],
  [`${','.repeat(16_000)}pt`, 'en'],
] as const)('Accept-Language %j gets %s', (acceptLanguage, language) => {
  expect(preferredLanguage(acceptLanguage)).toBe(language);
});
