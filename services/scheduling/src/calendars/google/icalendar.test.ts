import { describe, expect, test } from 'vitest';
import { readCalendarObject } from '../calendar-object.ts';
import type { GoogleEvent } from './event.ts';
import { toICalendar } from './icalendar.ts';

const window = { start: Date.parse('2027-01-01T00:00:00Z'), end: Date.parse('2027-06-01T00:00:00Z') };
const startsOf = (event: GoogleEvent, exceptions: readonly GoogleEvent[] = []) =>
  readCalendarObject(toICalendar({ id: 'abc', ...event }, exceptions), { window, zone: 'UTC' })?.busy.map(({ start }) =>
    new Date(start).toISOString().slice(0, 16),
  );
const series = (timeZone: string, start: string, end: string, ...recurrence: string[]): GoogleEvent => ({
  ...{ start: { dateTime: start, timeZone }, end: { dateTime: end, timeZone } },
  recurrence,
});

describe('a series of Google', () => {
  test.each<[string, GoogleEvent, string[]]>([
    [
      'Mondays in Berlin',
      series(
        ...(['Europe/Berlin', '2027-01-11T10:00:00+01:00', '2027-01-11T11:00:00+01:00'] as const),
        'RRULE:FREQ=WEEKLY;UNTIL=20270125T090000Z;BYDAY=MO',
      ),
      ['2027-01-11T09:00', '2027-01-18T09:00', '2027-01-25T09:00'],
    ],
    [
      'mornings in Tokyo',
      series(
        ...(['Asia/Tokyo', '2027-01-11T08:00:00+09:00', '2027-01-11T09:00:00+09:00'] as const),
        'RRULE:FREQ=DAILY;UNTIL=20270112T145959Z',
      ),
      ['2027-01-10T23:00', '2027-01-11T23:00'],
    ],
    [
      'nights in São Paulo',
      series(
        ...(['America/Sao_Paulo', '2027-01-11T01:00:00-03:00', '2027-01-11T02:00:00-03:00'] as const),
        'RRULE:FREQ=DAILY;UNTIL=20270113T025959Z',
      ),
      ['2027-01-11T04:00', '2027-01-12T04:00'],
    ],
    [
      'whole days',
      {
        ...{ start: { date: '2027-01-11' }, end: { date: '2027-01-12' } },
        recurrence: ['RRULE:FREQ=DAILY;UNTIL=20270112'],
      },
      ['2027-01-11T00:00', '2027-01-12T00:00'],
    ],
  ])('ends with its last occurrence: %s', (_, event, expected) => {
    expect(startsOf(event)).toEqual(expected);
  });

  test('leaves out what is excluded, and adds what is extra, in any zone', () => {
    const zone = ['America/New_York', '2027-03-12T09:00:00-05:00', '2027-03-12T10:00:00-05:00'] as const;
    const lines = [
      'RRULE:FREQ=DAILY;COUNT=4',
      'EXDATE:20270313T140000Z',
      'RDATE;TZID=America/New_York:20270320T110000',
    ];
    // Clocks there change on 14 March.
    expect(startsOf(series(...zone, ...lines))).toEqual([
      ...['2027-03-12T14:00', '2027-03-14T13:00', '2027-03-15T13:00', '2027-03-20T15:00'],
    ]);
  });
});

describe('of the kinds of events', () => {
  const at = { start: { dateTime: '2027-01-11T09:00:00Z' }, end: { dateTime: '2027-01-11T10:00:00Z' } };
  test.each<[string, GoogleEvent, number]>([
    ['one that is tentative takes time', { status: 'tentative' }, 1],
    ['out of office does', { eventType: 'outOfOffice', outOfOfficeProperties: {} }, 1],
    ['focus time does', { eventType: 'focusTime', focusTimeProperties: {} }, 1],
    ['one that the account may attend does', { attendees: [{ self: true, responseStatus: 'tentative' }] }, 1],
    ['one that it has not answered does', { attendees: [{ self: true, responseStatus: 'needsAction' }] }, 1],
    [
      'a working location, which Google keeps transparent, takes none',
      { eventType: 'workingLocation', transparency: 'transparent' },
      0,
    ],
    ['a birthday, which it does too, takes none', { eventType: 'birthday', transparency: 'transparent' }, 0],
  ])('%s', (_, event, count) => {
    expect(startsOf({ ...at, ...event })).toHaveLength(count);
  });
});
