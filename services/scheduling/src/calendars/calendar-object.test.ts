import { describe, expect, test } from 'vitest';
import { readCalendarObject } from './calendar-object.ts';

const window = { start: Date.parse('2026-10-20T00:00:00Z'), end: Date.parse('2026-11-20T00:00:00Z') };
const documentOf = (...events: readonly (readonly string[])[]) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0'],
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'UID:a@b', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
  ].join('\r\n');
const read = (...events: readonly (readonly string[])[]) =>
  readCalendarObject(documentOf(...events), { window, zone: 'America/Sao_Paulo' });
/** The busy times as `<start>/<minutes>`. */
const busy = (...events: readonly (readonly string[])[]) =>
  read(...events)?.busy.map(
    ({ start, end }) => `${new Date(start).toISOString().slice(0, 16)}Z/${(end - start) / 60_000}`,
  );
const newYork = (name: string, local: string) => `${name};TZID=America/New_York:${local}`;

test.each<[string, string[], string[]]>([
  ['an event in UTC', ['DTSTART:20261101T100000Z', 'DTEND:20261101T113000Z'], ['2026-11-01T10:00Z/90']],
  ['a duration', ['DTSTART:20261101T100000Z', 'DURATION:PT45M'], ['2026-11-01T10:00Z/45']],
  ['a zone', [newYork('DTSTART', '20261030T090000'), newYork('DTEND', '20261030T100000')], ['2026-10-30T13:00Z/60']],
  ['no zone: that of the store', ['DTSTART:20261030T090000', 'DTEND:20261030T100000'], ['2026-10-30T12:00Z/60']],
  ['a whole day of the store', ['DTSTART;VALUE=DATE:20261030'], ['2026-10-30T03:00Z/1440']],
  [
    'an unknown zone: that of the store',
    ['DTSTART;TZID=Mars/Olympus:20261030T090000', 'DURATION:PT1H'],
    ['2026-10-30T12:00Z/60'],
  ],
  [
    'a transparent event takes no time',
    ['DTSTART:20261101T100000Z', 'DTEND:20261101T113000Z', 'TRANSP:TRANSPARENT'],
    [],
  ],
  ['a cancelled event takes no time', ['DTSTART:20261101T100000Z', 'DTEND:20261101T113000Z', 'STATUS:CANCELLED'], []],
  ['an event without a length takes no time', ['DTSTART:20261101T100000Z'], []],
  ['an event that ends before it begins takes none', ['DTSTART:20261101T100000Z', 'DTEND:20261101T090000Z'], []],
  ['what is over takes none', ['DTSTART:20260101T100000Z', 'DTEND:20260101T113000Z'], []],
])('%s', (_, lines, expected) => {
  expect(busy(lines)).toEqual(expected);
});

describe('a guest', () => {
  const at = ['DTSTART:20261101T100000Z', 'DTEND:20261101T110000Z'];
  const guests = (...lines: string[]) =>
    readCalendarObject(documentOf([...at, 'ORGANIZER:mailto:eva@example.com', ...lines]), {
      ...{ window, zone: 'UTC', account: 'Ana@example.com' },
    })?.busy.length;

  test.each<[string, string, number]>([
    ['who is the account and declined', 'ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com', 0],
    ['who is named by another URI', 'ATTENDEE;PARTSTAT=declined;EMAIL=ana@example.com:urn:uuid:1', 0],
    ['who is another one', 'ATTENDEE;PARTSTAT=DECLINED:mailto:rui@example.com', 1],
    ['who has accepted', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:ana@example.com', 1],
    ['who has not answered', 'ATTENDEE:mailto:ana@example.com', 1],
  ])('%s: the event takes time %#', (_, line, count) => {
    expect(guests('ATTENDEE;PARTSTAT=ACCEPTED:mailto:eva@example.com', line)).toBe(count);
  });

  test('may decline one day of a series', () => {
    const declined = 'ATTENDEE;PARTSTAT=DECLINED:mailto:ana@example.com';
    const series = documentOf(
      [...at, 'RRULE:FREQ=DAILY;COUNT=3'],
      ['RECURRENCE-ID:20261102T100000Z', 'DTSTART:20261102T100000Z', 'DTEND:20261102T110000Z', declined],
    );
    const found = readCalendarObject(series, { window, zone: 'UTC', account: 'ana@example.com' });
    expect(found?.busy.map(({ start }) => new Date(start).getUTCDate())).toEqual([1, 3]);
  });
});

describe('a series', () => {
  test('keeps its local time when the clock changes', () => {
    // New York goes back an hour on 2026-11-01.
    const weekly = [newYork('DTSTART', '20261028T090000'), newYork('DTEND', '20261028T100000'), 'RRULE:FREQ=WEEKLY'];
    expect(busy(weekly)?.slice(0, 2)).toEqual(['2026-10-28T13:00Z/60', '2026-11-04T14:00Z/60']);
    expect(read(weekly)).toMatchObject({ followsClock: true, endsAt: null });
  });

  test('keeps the local time of a zone that only its document knows', () => {
    const vtimezone = [
      ...['BEGIN:VTIMEZONE', 'TZID:Eastern Standard Time'],
      ...['BEGIN:STANDARD', 'DTSTART:16010101T020000', 'TZOFFSETFROM:-0400', 'TZOFFSETTO:-0500'],
      ...['RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11', 'END:STANDARD'],
      ...['BEGIN:DAYLIGHT', 'DTSTART:16010101T020000', 'TZOFFSETFROM:-0500', 'TZOFFSETTO:-0400'],
      ...['RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3', 'END:DAYLIGHT', 'END:VTIMEZONE'],
    ].join('\r\n');
    const series = ['DTSTART;TZID=Eastern Standard Time:20261028T090000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=2'];
    const icalendar = documentOf(series).replace('VERSION:2.0', `VERSION:2.0\r\n${vtimezone}`);
    const found = readCalendarObject(icalendar, { window, zone: 'UTC' });
    expect(found?.busy.map(({ start }) => new Date(start).toISOString())).toEqual([
      '2026-10-28T13:00:00.000Z',
      '2026-11-04T14:00:00.000Z',
    ]);
  });

  test('leaves out an excluded day, and adds an extra one', () => {
    const series = [
      ...[newYork('DTSTART', '20261026T090000'), newYork('DTEND', '20261026T100000'), 'RRULE:FREQ=DAILY;COUNT=3'],
      ...[newYork('EXDATE', '20261027T090000'), newYork('RDATE', '20261110T090000')],
    ];
    expect(busy(series)).toEqual(['2026-10-26T13:00Z/60', '2026-10-28T13:00Z/60', '2026-11-10T14:00Z/60']);
    expect(read(series)).toMatchObject({ followsClock: false, endsAt: Date.parse('2026-11-10T15:00:00Z') });
  });

  test('follows what a person did to single occurrences', () => {
    const series = ['DTSTART:20261026T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4'];
    const moved = ['RECURRENCE-ID:20261027T090000Z', 'DTSTART:20261027T150000Z', 'DURATION:PT30M'];
    const cancelled = ['RECURRENCE-ID:20261028T090000Z', 'DTSTART:20261028T090000Z', 'STATUS:CANCELLED'];
    const free = ['RECURRENCE-ID:20261029T090000Z', 'DTSTART:20261029T090000Z', 'DURATION:PT1H', 'TRANSP:TRANSPARENT'];
    expect(busy(series, moved, cancelled, free)).toEqual(['2026-10-26T09:00Z/60', '2026-10-27T15:00Z/30']);
  });

  test('that began 20 years ago is found in the window', () => {
    expect(busy(['DTSTART:20061026T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'])).toHaveLength(31);
    const everyOther = ['DTSTART:20061026T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH'];
    // 522 pairs of weeks after 2006-10-26 is 2026-10-29, a Thursday; the Monday before it is in the same week.
    expect(busy(everyOther)).toEqual([
      '2026-10-26T09:00Z/60',
      '2026-10-29T09:00Z/60',
      '2026-11-09T09:00Z/60',
      '2026-11-12T09:00Z/60',
    ]);
  });

  test.each(['FREQ=SECONDLY', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=DAILY;INTERVAL=0', 'FREQ=NEVER'])(
    'with the rule %s does not go on for ever',
    (rule) => {
      const found = busy(['DTSTART:20261026T090000Z', 'DTEND:20261026T090001Z', `RRULE:${rule}`]);
      expect(found?.length ?? 0).toBeLessThanOrEqual(2_000);
    },
  );
});

test('an event of ours says its time, and its store', () => {
  const found = read(['DTSTART:20261101T100000Z', 'DTEND:20261101T113000Z', 'X-MOSTRADOR-STORE:s']);
  const start = Date.parse('2026-11-01T10:00:00Z');
  expect(found).toMatchObject({ uid: 'a@b', storeId: 's', first: { start, durationMinutes: 90, isCancelled: false } });
  expect(read(['DTSTART;VALUE=DATE:20261101'])?.first.start).toBeNull();
});

test.each([
  ['nothing', ''],
  ['no iCalendar', '<html>'],
  ['no event', 'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nEND:VTODO\r\nEND:VCALENDAR'],
  ['no UID', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20261101T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR'],
  ['no start', documentOf(['SUMMARY:x'])],
  ['a start that is no time', documentOf(['DTSTART:yesterday'])],
])('a document with %s is not read, and nothing fails', (_, icalendar) => {
  expect(readCalendarObject(icalendar, { window, zone: 'UTC' })).toBeNull();
});
