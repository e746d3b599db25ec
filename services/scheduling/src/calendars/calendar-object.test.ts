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

  test.each([
    ...['FREQ=SECONDLY', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=DAILY;INTERVAL=0', 'FREQ=NEVER'],
    ...['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20270101T000000Z'],
    ...['FREQ=MINUTELY;BYMONTH=4;BYMONTHDAY=31', 'FREQ=WEEKLY;INTERVAL=99999999999'],
    ...['FREQ=SECONDLY;INTERVAL=999999999999999999', 'FREQ=WEEKLY;UNTIL=99991231T235959Z'],
  ])('with the rule %s does not go on for ever', (rule) => {
    const found = busy(['DTSTART:20261026T090000Z', 'DTEND:20261026T090001Z', `RRULE:${rule}`]);
    expect(found?.length ?? 0).toBeLessThanOrEqual(2_000);
    // It is read again each day, because it may go on.
    if (found && !rule.includes('UNTIL=2027'))
      expect(read(['DTSTART:20261026T090000Z', 'DTEND:20261026T090001Z', `RRULE:${rule}`])).toMatchObject({
        followsClock: true,
      });
  });

  const local = (zone: string, name: string, time: string) => `${name};TZID=${zone}:${time}`;
  const startsOf = (...events: readonly (readonly string[])[]) => busy(...events)?.map((time) => time.slice(0, 17));

  test.each<[string, string, string, string, string]>([
    ['before UTC', 'Europe/Berlin', '20261102T100000', 'FREQ=WEEKLY;UNTIL=20261109T090000Z', '2026-11-09T09:00Z'],
    ['far before UTC', 'Asia/Tokyo', '20261102T235959', 'FREQ=DAILY;UNTIL=20261104T145959Z', '2026-11-04T14:59Z'],
    ['after UTC', 'America/Sao_Paulo', '20261102T010000', 'FREQ=DAILY;UNTIL=20261105T025959Z', '2026-11-04T04:00Z'],
    ['with a day', 'Asia/Tokyo', '20261102T080000', 'FREQ=DAILY;UNTIL=20261104', '2026-11-03T23:00Z'],
    ['with a local time', 'Asia/Tokyo', '20261102T080000', 'FREQ=DAILY;UNTIL=20261104T080000', '2026-11-03T23:00Z'],
    [
      'in the hour that comes twice',
      'America/New_York',
      '20261029T013000',
      'FREQ=DAILY;UNTIL=20261101T053000Z',
      '2026-11-01T05:30Z',
    ],
  ])('ends with its last occurrence, in a zone %s', (_, zone, start, rule, last) => {
    const found = read([local(zone, 'DTSTART', start), 'DURATION:PT1S', `RRULE:${rule}`]);
    expect(new Date(found?.busy.at(-1)?.start ?? 0).toISOString().slice(0, 17)).toBe(`${last.slice(0, 16)}:`);
    expect(found?.followsClock).toBe(false);
  });

  test.each<[string, string, string[]]>([
    ['a day', 'UNTIL=20261104', ['2026-11-02', '2026-11-03', '2026-11-04']],
    ['midnight', 'UNTIL=20261104T000000Z', ['2026-11-02', '2026-11-03', '2026-11-04']],
    ['the end of the day in the zone', 'UNTIL=20261105T025959Z', ['2026-11-02', '2026-11-03', '2026-11-04']],
  ])('of whole days ends with %s', (_, until, days) => {
    expect(startsOf(['DTSTART;VALUE=DATE:20261102', `RRULE:FREQ=DAILY;${until}`])).toEqual(
      days.map((day) => `${day}T03:00Z`),
    );
  });

  test.each<[string, string[]]>([
    ['in UTC', ['EXDATE:20261103T130000Z']],
    ['in another zone', [local('Europe/Berlin', 'EXDATE', '20261103T140000')]],
    ['as a day', ['EXDATE;VALUE=DATE:20261103']],
    [
      'after one that excludes nothing',
      [
        local('America/Sao_Paulo', 'EXDATE', '20261103T080000'),
        local('America/Sao_Paulo', 'EXDATE', '20261103T100000'),
      ],
    ],
    ['twice', ['EXDATE:20261103T130000Z,20261103T130000Z']],
  ])('leaves out a day that is excluded %s', (_, lines) => {
    const series = [
      local('America/Sao_Paulo', 'DTSTART', '20261102T100000'),
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;COUNT=3',
    ];
    expect(startsOf([...series, ...lines])).toEqual(['2026-11-02T13:00Z', '2026-11-04T13:00Z']);
  });

  test.each(['EXDATE;VALUE=DATE:20261103', 'EXDATE:20261103T000000Z', 'EXDATE:20261103T030000Z'])(
    'of whole days leaves out %s',
    (line) => {
      const series = ['DTSTART;VALUE=DATE:20261102', 'RRULE:FREQ=DAILY;COUNT=3', line];
      expect(startsOf(series)).toEqual(['2026-11-02T03:00Z', '2026-11-04T03:00Z']);
    },
  );

  test('without a rule has its first occurrence, and extra ones, of which a period has its own length', () => {
    const series = [newYork('DTSTART', '20261026T090000'), 'DURATION:PT1H'];
    const extra = [
      'RDATE:20261027T150000Z',
      'RDATE;VALUE=PERIOD:20261028T150000Z/20261028T153000Z,20261029T150000Z/PT2H',
    ];
    expect(busy([...series, ...extra, newYork('RDATE;VALUE=PERIOD', '20261103T090000/PT15M')])).toEqual([
      ...['2026-10-26T13:00Z/60', '2026-10-27T15:00Z/60', '2026-10-28T15:00Z/30', '2026-10-29T15:00Z/120'],
      '2026-11-03T14:00Z/15',
    ]);
    expect(busy([...series, 'RDATE;VALUE=DATE:20261103'])).toEqual(['2026-10-26T13:00Z/60', '2026-11-03T14:00Z/60']);
    expect(busy([...series, 'RDATE:20261027T150000Z', 'EXDATE:20261026T130000Z'])).toEqual(['2026-10-27T15:00Z/60']);
    expect(busy(['DTSTART;VALUE=DATE:20261026', 'RDATE;VALUE=DATE:20261028'])).toEqual([
      ...['2026-10-26T03:00Z/1440', '2026-10-28T03:00Z/1440'],
    ]);
  });

  test('is another one from an override on that holds for the future', () => {
    const series = [newYork('DTSTART', '20261026T090000'), 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4'];
    const from = (start: string) => ['RECURRENCE-ID;RANGE=THISANDFUTURE:20261102T140000Z', start];
    expect(busy(series, [...from(newYork('DTSTART', '20261103T110000')), 'DURATION:PT30M'])).toEqual([
      ...['2026-10-26T13:00Z/60', '2026-11-03T16:00Z/30', '2026-11-10T16:00Z/30', '2026-11-17T16:00Z/30'],
    ]);
    // A single override of a later occurrence counts more.
    const moved = [newYork('RECURRENCE-ID', '20261109T090000'), 'DTSTART:20261109T200000Z', 'DURATION:PT5M'];
    expect(busy(series, [...from('DTSTART:20261103T160000Z'), 'DURATION:PT30M'], moved)).toEqual([
      ...['2026-10-26T13:00Z/60', '2026-11-03T16:00Z/30', '2026-11-09T20:00Z/5', '2026-11-17T16:00Z/30'],
    ]);
    expect(busy(series, [...from(newYork('DTSTART', '20261102T090000')), 'STATUS:CANCELLED'])).toEqual([
      '2026-10-26T13:00Z/60',
    ]);
  });

  test('has an occurrence that was moved into the window from far outside', () => {
    const series = ['DTSTART:20200101T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY'];
    const moved = (from: string, to: string) => [`RECURRENCE-ID:${from}`, `DTSTART:${to}`, 'DURATION:PT1H'];
    expect(
      busy(series, moved('20210101T090000Z', '20261103T090000Z'), moved('20290101T090000Z', '20261104T090000Z')),
    ).toEqual(['2026-11-03T09:00Z/60', '2026-11-04T09:00Z/60']);
  });
});

describe('an event', () => {
  test.each([
    ['a single one', ['DTSTART:20290101T090000Z', 'DTEND:20290101T100000Z']],
    ['the last one of a series', ['DTSTART:20261026T090000Z', 'DURATION:PT1H', 'RDATE:20290101T090000Z']],
  ])('after the window is read again, until it is in it: %s', (_, lines) => {
    expect(read(lines)).toMatchObject({ followsClock: true, endsAt: Date.parse('2029-01-01T10:00:00Z') });
  });

  test('that takes no time after the window is not', () => {
    const lines = ['DTSTART:20290101T090000Z', 'DTEND:20290101T100000Z', 'TRANSP:TRANSPARENT'];
    expect(read(lines)).toMatchObject({ followsClock: false });
  });

  test('over midnight and over a clock change is as long as it says', () => {
    // New York goes back an hour at 2:00 on 2026-11-01, where a day has 25 hours.
    const night = [newYork('DTSTART', '20261031T220000'), newYork('DTEND', '20261101T060000')];
    expect(busy(night)).toEqual(['2026-11-01T02:00Z/540']);
    expect(busy([newYork('DTSTART', '20261031T220000'), 'DURATION:PT8H'])).toEqual(['2026-11-01T02:00Z/480']);
    expect(busy([newYork('DTSTART', '20261031T220000'), 'DURATION:P1D'])).toEqual(['2026-11-01T02:00Z/1500']);
    const inBerlin = ['DTSTART;TZID=Asia/Tokyo:20261102T230000', 'DTEND;TZID=Europe/Berlin:20261102T200000'];
    expect(busy(inBerlin)).toEqual(['2026-11-02T14:00Z/300']);
  });

  test('each night of a series is as long as the first (RFC 5545 3.8.5.3)', () => {
    const nights = [
      newYork('DTSTART', '20261030T220000'),
      newYork('DTEND', '20261031T060000'),
      'RRULE:FREQ=DAILY;COUNT=3',
    ];
    expect(busy(nights)).toEqual(['2026-10-31T02:00Z/480', '2026-11-01T02:00Z/480', '2026-11-02T03:00Z/480']);
  });

  test('of a store’s own zone keeps its local time, and its days are whole, over a clock change', () => {
    const inNewYork = (...lines: string[]) =>
      readCalendarObject(documentOf(lines), { window, zone: 'America/New_York' })?.busy.map(
        ({ start, end }) => `${new Date(start).toISOString().slice(5, 16)}/${(end - start) / 60_000}`,
      );
    expect(inNewYork('DTSTART:20261031T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3')).toEqual([
      ...['10-31T13:00/60', '11-01T14:00/60', '11-02T14:00/60'],
    ]);
    expect(inNewYork('DTSTART;VALUE=DATE:20261031', 'RRULE:FREQ=DAILY;COUNT=3')).toEqual([
      ...['10-31T04:00/1440', '11-01T04:00/1500', '11-02T05:00/1440'],
    ]);
  });

  test.each(['STATUS:TENTATIVE', 'STATUS:CONFIRMED', 'X-MICROSOFT-CDO-BUSYSTATUS:OOF'])(
    'with %s takes time',
    (line) => {
      expect(busy(['DTSTART:20261101T100000Z', 'DTEND:20261101T110000Z', line])).toHaveLength(1);
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
