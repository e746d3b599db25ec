import { dayMs } from '@mostrador/hours/local-days';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { readCalendarObject } from './calendar-object.ts';
import { toICalendar } from './google/icalendar.ts';

const zones = [
  ...['Europe/Berlin', 'Europe/London', 'Europe/Lisbon', 'Europe/Athens', 'Europe/Chisinau', 'Europe/Dublin'],
  ...['Atlantic/Azores', 'America/New_York', 'America/Chicago', 'America/Los_Angeles', 'America/St_Johns'],
  ...['America/Havana', 'America/Santiago', 'America/Asuncion', 'America/Sao_Paulo', 'America/Bogota', 'America/Nuuk'],
  ...['America/Adak', 'Africa/Cairo', 'Africa/Casablanca', 'Africa/Johannesburg', 'Asia/Beirut', 'Asia/Jerusalem'],
  ...['Asia/Kolkata', 'Asia/Tokyo', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham'],
  ...['Antarctica/Troll', 'UTC'],
];

/** The clock changes of 2026 and 2027, or an ordinary day. */
function changesOf(zone: string): Temporal.Instant[] {
  const found: Temporal.Instant[] = [];
  let now: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from(`2026-01-01T00:00[${zone}]`);
  for (;;) {
    now = now.getTimeZoneTransition('next');
    if (!now || now.year > 2027) break;
    found.push(now.toInstant());
  }
  return found.length > 0 ? found : [Temporal.Instant.from('2026-07-01T00:00Z')];
}

const compact = (time: { toString(options: { smallestUnit: 'second' }): string }) =>
  time.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');

const cases = fc.record({
  zone: fc.constantFrom(...zones),
  change: fc.nat(),
  /** How many days before the clock change the series begins. */
  daysBefore: fc.integer({ min: 0, max: 9 }),
  quarter: fc.oneof(fc.integer({ min: 0, max: 95 }), fc.constantFrom(0, 4, 6, 8, 9, 10, 11, 12, 92)),
  rule: fc.constantFrom('DAILY', 'WEEKLY'),
  interval: fc.integer({ min: 1, max: 3 }),
  occurrences: fc.integer({ min: 1, max: 20 }),
  minutes: fc.constantFrom(15, 60, 600, 1440),
  excluded: fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
  form: fc.constantFrom('utc', 'local', 'store'),
});

type Given = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

/** The busy times of a series of wall-clock days, as each way to write it gives them, and as Temporal has them. */
function timesOf({ zone, change, daysBefore, quarter, rule, interval, ...rest }: Given) {
  const { occurrences, minutes, excluded, form } = rest;
  const changes = changesOf(zone);
  const middle = (changes[change % changes.length] as Temporal.Instant).toZonedDateTimeISO(zone).toPlainDate();
  const wall = { hour: Math.floor(quarter / 4), minute: (quarter % 4) * 15 };
  const days = { DAILY: 1, WEEKLY: 7 }[rule as 'DAILY'] * interval;
  const walls = Array.from({ length: occurrences }, (_, number) =>
    middle
      .subtract({ days: daysBefore })
      .add({ days: number * days })
      .toPlainDateTime(wall),
  );
  const starts = walls.map((each) => each.toZonedDateTime(zone));
  const expected = starts
    .filter((_, number) => !excluded.includes(number))
    .map((start) => ({ start: start.epochMilliseconds, end: start.epochMilliseconds + minutes * 60_000 }));

  const [first, last] = [starts[0] as Temporal.ZonedDateTime, starts.at(-1) as Temporal.ZonedDateTime];
  const utc = (time: Temporal.ZonedDateTime) => `${compact(time.withTimeZone('UTC').toPlainDateTime())}Z`;
  const named = form === 'store' ? '' : `;TZID=${zone}`;
  const exdates = excluded
    .filter((number) => number < occurrences)
    .map((number) =>
      form === 'utc'
        ? `EXDATE:${utc(starts[number] as Temporal.ZonedDateTime)}`
        : `EXDATE${named}:${compact(walls[number] as Temporal.PlainDateTime)}`,
    );
  const recurrence = [`RRULE:FREQ=${rule};INTERVAL=${interval};UNTIL=${utc(last)}`, ...exdates];
  const end = first.add({ minutes });
  const document = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:a@b'],
    `DTSTART${named}:${compact(walls[0] as Temporal.PlainDateTime)}`,
    `DTEND:${utc(end)}`,
    ...recurrence,
    ...['END:VEVENT', 'END:VCALENDAR'],
  ].join('\r\n');
  const google = toICalendar({
    id: 'abc',
    start: { dateTime: first.toInstant().toString(), timeZone: zone },
    end: { dateTime: end.toInstant().toString(), timeZone: zone },
    recurrence,
  });
  const window = { start: first.epochMilliseconds - dayMs, end: last.epochMilliseconds + 9 * dayMs };
  const read = (icalendar: string) => readCalendarObject(icalendar, { window, zone });
  // Google has no time that a clock skips: it names the one after it.
  const isSkipped = !first.toPlainDateTime().equals(walls[0] as Temporal.PlainDateTime);
  const found = { document: read(document), google: isSkipped ? read(document) : read(google) };
  return { found, expected };
}

test('a series keeps its local time over every clock change, from its first to its last occurrence', () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { found, expected } = timesOf(given);
      for (const each of Object.values(found)) {
        expect(each?.busy).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});

test('each zone has its clock changes on both sides of a series', () => {
  for (const zone of zones) {
    for (let change = 0; change < changesOf(zone).length; change += 1) {
      for (const quarter of [0, 1, 4, 6, 8, 9, 10, 12, 40, 95]) {
        const rest = { rule: 'DAILY', interval: 1, occurrences: 6, minutes: 60, excluded: [1], form: 'utc' } as const;
        const { found, expected } = timesOf({ zone, change, daysBefore: 3, quarter, ...rest, excluded: [1] });
        for (const each of Object.values(found)) expect(each?.busy, `${zone} ${quarter}`).toEqual(expected);
      }
    }
  }
});
