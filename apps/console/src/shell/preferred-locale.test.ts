import { expect, test } from 'vitest';
import { preferredLocale } from './preferred-locale.ts';

test.each([
  [['pt'], 'pt-BR'],
  [['pt-BR'], 'pt-BR'],
  [['pt-PT'], 'pt-BR'],
  [['PT-br'], 'pt-BR'],
  [['es'], 'es'],
  [['es-AR'], 'es'],
  [['es-419', 'pt'], 'es'],
  [['en-GB', 'pt'], 'en'],
  [['de', 'pt', 'en'], 'pt-BR'],
  [['de-AT', 'fr'], undefined],
  [['est', 'ptx'], undefined],
  [[], undefined],
])('a browser that asks for %j gets %s', (languages, locale) => {
  expect(preferredLocale(languages, ['en', 'es', 'pt-BR'] as const)).toBe(locale);
});
