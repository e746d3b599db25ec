import { expect, test } from 'vitest';
import { countries, findsZone, idleTimesWith, languagesWith, timesWith, waitsWith, zonesWith } from './choices.ts';

test.each([
  ['sao paulo', true],
  ['São Paulo', true],
  ['SAO_PAULO', true],
  ['america paulo', true],
  ['paulo, america', true],
  ['America/Sao_Paulo', true],
  ['', true],
  ['lima', false],
])('%j finds America/Sao_Paulo: %s', (typed, found) => {
  expect(findsZone('America/Sao_Paulo', typed)).toBe(found);
});

test('what is set is offered too, once and in its place', () => {
  expect(zonesWith('US/Pacific')).toContain('US/Pacific');
  expect(zonesWith('UTC').filter((zone) => zone === 'UTC')).toHaveLength(1);
  const values = (choices: readonly (readonly [string, string])[]) => choices.map(([value]) => value);
  expect(values(languagesWith('en', 'ja'))).toContain('ja');
  expect(values(waitsWith('en', 2.5, 'Not at all'))).toEqual(['0', '1', '2', '2.5', '3', '5', '8']);
  expect(values(idleTimesWith('en', 0.5)).slice(0, 2)).toEqual(['0.5', '1']);
  expect(values(timesWith('09:10', 'from')).slice(18, 21)).toEqual(['09:00', '09:10', '09:30']);
});

test('a day begins and ends where its times may', () => {
  const values = (end: 'from' | 'to') => timesWith('12:00', end).map(([value]) => value);
  expect([values('from')[0], values('from').at(-1)]).toEqual(['00:00', '23:30']);
  expect([values('to')[0], values('to').at(-1)]).toEqual(['00:30', '24:00']);
});

test('numbers are in words', () => {
  const words = new Map([...idleTimesWith('en', 24), ...waitsWith('en', 0, 'Not at all').slice(0, 1)]);
  expect([words.get('1'), words.get('24'), words.get('168'), words.get('0')]).toEqual([
    '1 hour',
    '24 hours',
    '7 days',
    'Not at all',
  ]);
});

test('every country is offered once, by its name, and nothing else', () => {
  const names = new Map(countries('en'));
  expect([names.get('BR'), names.get('PT'), names.get('MX')]).toEqual(['Brazil', 'Portugal', 'Mexico']);
  for (const code of ['DD', 'SU', 'UK', 'EU', 'ZZ', 'XX']) expect(names.has(code), code).toBe(false);
  expect(names.size).toBeGreaterThan(235);
  expect(new Set(names.values()).size).toBe(names.size);
});
