import { expect, test } from 'vitest';
import { countryOfZone } from './country-of-zone.ts';

test.each([
  ['America/Sao_Paulo', 'BR'],
  ['America/Manaus', 'BR'],
  ['Brazil/East', 'BR'],
  ['America/Argentina/Buenos_Aires', 'AR'],
  ['America/Buenos_Aires', 'AR'],
  ['America/Mexico_City', 'MX'],
  ['Europe/Lisbon', 'PT'],
  ['Asia/Kolkata', 'IN'],
  ['UTC', null],
  ['Etc/GMT+3', null],
])('the time zone %s is in %s', (zone, country) => {
  expect(countryOfZone(zone)).toBe(country);
});
