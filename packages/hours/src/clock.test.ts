import { describe, expect, test } from 'vitest';
import { dateAfter, localTimeOf, momentText, startOfDay } from './clock.ts';

test('a moment is read by the clock of the zone', () => {
  expect(localTimeOf(new Date('2026-11-28T01:30:00Z'), 'America/Sao_Paulo')).toEqual({
    ...{ date: '2026-11-27', weekday: 5, time: '22:30' },
  });
});

test('a day begins when its clock says so, also where a change skips midnight', () => {
  expect(startOfDay('2026-11-28', 'America/Sao_Paulo')).toEqual(new Date('2026-11-28T03:00:00Z'));
  expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toEqual(new Date('2018-11-04T03:00:00Z'));
  expect(dateAfter('2028-02-28', 2)).toBe('2028-03-01');
});

test.each(['2027-02-29', '2027-13-01', 'tomorrow', ''])('there is no date %s', (date) => {
  expect([startOfDay(date, 'UTC'), dateAfter(date, 1)]).toEqual([undefined, undefined]);
});

describe('a moment as a customer reads it', () => {
  const moment = new Date('2027-01-15T17:30:00.000Z');
  test.each([
    ['pt-BR', 'America/Sao_Paulo', 'sexta-feira, 15 de janeiro às 14:30'],
    ['es', 'America/Argentina/Buenos_Aires', 'viernes, 15 de enero, 14:30'],
    ['en', 'America/Sao_Paulo', 'Friday, January 15 at 2:30 PM'],
    ['en-GB', 'Pacific/Kiritimati', 'Saturday 16 January at 7:30'],
  ])('in %s and %s', (locale, timezone, text) => {
    expect(momentText(moment, { timezone, locale })).toBe(text);
  });

  test('the clock of the store tells both sides of a clock change', () => {
    const berlin = { timezone: 'Europe/Berlin', locale: 'en-GB' };
    expect(momentText(new Date('2027-03-28T00:59:00Z'), berlin)).toBe('Sunday 28 March at 1:59');
    expect(momentText(new Date('2027-03-28T01:00:00Z'), berlin)).toBe('Sunday 28 March at 3:00');
  });
});
