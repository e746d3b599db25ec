import type { OpeningHours } from '@mostrador/contracts';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { bookingHours } from './booking-hours.ts';
import { minuteMs } from './local-days.ts';
import { isOpenAt, openSpans } from './open-spans.ts';
import { startsOf } from './starts.ts';

const zones = [
  ...['Europe/Berlin', 'Europe/London', 'Europe/Lisbon', 'Europe/Athens', 'Europe/Chisinau', 'Europe/Dublin'],
  ...['Atlantic/Azores', 'America/New_York', 'America/Chicago', 'America/Los_Angeles', 'America/St_Johns'],
  ...['America/Havana', 'America/Santiago', 'America/Asuncion', 'America/Sao_Paulo', 'America/Bogota', 'America/Nuuk'],
  ...['America/Adak', 'Africa/Cairo', 'Africa/Casablanca', 'Africa/Johannesburg', 'Asia/Beirut', 'Asia/Jerusalem'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tokyo', 'Australia/Lord_Howe', 'Australia/Adelaide', 'Pacific/Auckland'],
  ...['Pacific/Chatham', 'Antarctica/Troll', 'Pacific/Apia', 'UTC'],
];
const [firstMs, lastMs] = [Date.parse('2024-01-01T00:00:00Z'), Date.parse('2029-01-01T00:00:00Z')];
const stepMs = 15 * minuteMs;

/** Every clock change of five years, or one ordinary day. */
function middles(zone: string): number[] {
  const found: number[] = [];
  let now: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(firstMs).toZonedDateTimeISO(zone);
  for (;;) {
    now = now.getTimeZoneTransition('next');
    if (!now || now.epochMilliseconds > lastMs) return found.length > 0 ? found : [firstMs];
    found.push(now.epochMilliseconds);
  }
}

/** What Intl says of an instant, which knows nothing of our module: the local date, its weekday, and the minute of the day. */
function clockOf(zone: string) {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  return (at: number) => {
    const { weekday, year, month, day, hour, minute } = Object.fromEntries(
      clock.formatToParts(at).map(({ type, value }) => [type, value]),
    ) as Record<string, string>;
    return {
      weekday: weekdays.indexOf(weekday as string) + 1,
      date: `${year}-${month}-${day}`,
      minutes: Number(hour) * 60 + Number(minute),
    };
  };
}

const time = (quarters: number) =>
  `${String(Math.floor(quarters / 4)).padStart(2, '0')}:${String((quarters % 4) * 15).padStart(2, '0')}`;
const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
/** One part for each weekday, often near midnight and the usual hours of a clock change. */
const hoursOfWeek: fc.Arbitrary<OpeningHours[]> = fc.array(
  fc
    .tuple(
      fc.integer({ min: 1, max: 7 }),
      fc.uniqueArray(fc.oneof(fc.integer({ min: 0, max: 96 }), fc.constantFrom(0, 4, 6, 8, 9, 10, 12, 96)), {
        minLength: 2,
        maxLength: 2,
      }),
    )
    .map(([weekday, ends]) => ({ weekday, from: time(Math.min(...ends)), to: time(Math.max(...ends)) })),
  { minLength: 3, maxLength: 7 },
);
const isOpen = (hours: readonly OpeningHours[], at: { weekday: number; minutes: number }) =>
  hours.some(
    ({ weekday, from, to }) => weekday === at.weekday && minutes(from) <= at.minutes && at.minutes < minutes(to),
  );

describe.each(zones)('around every clock change of five years in %s', (zone) => {
  const clock = clockOf(zone);
  const changes = middles(zone);

  test('it is open exactly when the local time is in the hours, and spans that touch are one', () => {
    fc.assert(
      fc.property(hoursOfWeek, fc.constantFrom(...changes), (hours, middle) => {
        const [from, until] = [middle - 40 * 4 * stepMs, middle + 40 * 4 * stepMs];
        const open = bookingHours({ hours, exceptions: [] });
        const spans = [...openSpans(open, zone, from, until)];
        for (const [index, { end }] of spans.entries()) {
          const next = spans[index + 1];
          if (next) expect(next.start).toBeGreaterThan(end);
        }
        for (let at = from; at < until; at += stepMs) {
          const isInside = spans.some(({ start, end }) => start <= at && at < end);
          expect(isInside, new Date(at).toISOString()).toBe(isOpen(hours, clock(at)));
          expect(isOpenAt(open, zone, at), new Date(at).toISOString()).toBe(isInside);
        }
      }),
      { numRuns: 12 },
    );
  });

  test('starts are the steps after each opening by the local clock: none is skipped, and none comes twice', () => {
    fc.assert(
      fc.property(hoursOfWeek, fc.constantFrom(...changes), fc.constantFrom(15, 30, 45, 60), (hours, middle, step) => {
        const [from, until] = [middle - 30 * 4 * stepMs, middle + 30 * 4 * stepMs];
        const oneADay = hours.filter(({ weekday }, index) => hours.findIndex((o) => o.weekday === weekday) === index);
        const told = new Set<string>();
        const expected: string[] = [];
        for (let at = from - 8 * stepMs; at < until; at += stepMs) {
          const local = clock(at);
          const isFirst = !told.has(`${local.date} ${local.minutes}`);
          told.add(`${local.date} ${local.minutes}`);
          const part = oneADay.find(({ weekday }) => weekday === local.weekday);
          const isStep = part && isOpen([part], local) && (local.minutes - minutes(part.from)) % step === 0;
          if (isStep && isFirst && at >= from) expected.push(new Date(at).toISOString());
        }
        const starts = startsOf(bookingHours({ hours: oneADay, exceptions: [] }), zone, step, { from, until });
        expect([...starts].map((at) => new Date(at).toISOString())).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });
});

const startsOn = (zone: string, day: string, hours: OpeningHours[] | null, step = 30) => {
  const midnight = Temporal.PlainDate.from(day).toZonedDateTime(zone);
  const range = { from: midnight.epochMilliseconds, until: midnight.add({ days: 1 }).epochMilliseconds };
  return [...startsOf(bookingHours({ hours, exceptions: [] }), zone, step, range)].map((at) =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toString({ timeZoneName: 'never' }),
  );
};
const earlySunday = [{ weekday: 7, from: '01:30', to: '03:30' }];

test('02:30 is not offered on the day without it, and offered once with its offset on the day with two', () => {
  expect(startsOn('Europe/Berlin', '2027-03-28', earlySunday)).toEqual([
    '2027-03-28T01:30:00+01:00',
    '2027-03-28T03:00:00+02:00',
  ]);
  expect(startsOn('Europe/Berlin', '2027-10-31', earlySunday)).toEqual([
    '2027-10-31T01:30:00+02:00',
    '2027-10-31T02:00:00+02:00',
    '2027-10-31T02:30:00+02:00',
    '2027-10-31T03:00:00+01:00',
  ]);
});

test('a store without hours is always open, and a day begins at midnight or after the skipped midnight', () => {
  expect(startsOn('Europe/Berlin', '2027-06-01', null)).toHaveLength(48);
  expect(startsOn('America/Santiago', '2027-09-05', null, 60)[0]).toBe('2027-09-05T01:00:00-03:00');
});

test('an exception replaces the hours of its day, and bounds the hours of a seller', () => {
  const hours = [{ weekday: 5, from: '09:00', to: '18:00' }];
  const exceptions = [
    { date: '2027-12-24', hours: [{ from: '10:00', to: '12:00' }] },
    { date: '2027-12-31', hours: [] },
  ];
  const open = (own?: OpeningHours[]) =>
    [
      ...openSpans(
        bookingHours({ hours, exceptions }, own),
        'UTC',
        Date.parse('2027-12-13T00:00Z'),
        Date.parse('2028-01-03T00:00Z'),
      ),
    ].map(
      ({ start, end }) => `${new Date(start).toISOString().slice(0, 16)}-${new Date(end).toISOString().slice(11, 16)}`,
    );
  expect(open()).toEqual(['2027-12-17T09:00-18:00', '2027-12-24T10:00-12:00']);
  expect(open([{ weekday: 5, from: '11:00', to: '20:00' }])).toEqual([
    '2027-12-17T11:00-20:00',
    '2027-12-24T11:00-12:00',
  ]);
});
