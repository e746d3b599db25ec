import { expect, test } from 'vitest';
import { countryOf } from './country-of-place.ts';

test.each([
  ['PT', 'America/Sao_Paulo', 'pt-BR', 'PT'],
  [null, 'America/Sao_Paulo', 'en-US', 'BR'],
  [null, 'UTC', 'pt-BR', 'BR'],
  [null, 'UTC', 'pt-br', 'BR'],
  [null, 'UTC', 'pt', null],
  [null, 'UTC', 'es-419', null],
  [null, 'UTC', 'en', null],
  [null, 'Mars/Olympus', 'pt-BR', 'BR'],
  [null, 'UTC', 'pt_BR', null],
])('a place with country %s, time zone %s and locale %s is in %s', (country, timezone, locale, expected) => {
  expect(countryOf({ country, timezone, locale })).toBe(expected);
});
