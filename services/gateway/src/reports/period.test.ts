import type { ReportBucket } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AskedPeriod, boundariesOf, dateIn, leadPeriod, summaryPeriod, timestampOf } from './period.ts';

/** A Saturday. */
const now = new Date('2026-11-21T12:00:00Z');

const boundaries = (asked: AskedPeriod, zone: string, bucket?: ReportBucket, at = now) =>
  boundariesOf(summaryPeriod(asked, zone, at), bucket).map((ms) => new Date(ms).toISOString());

function faultsOf(ask: () => unknown) {
  try {
    ask();
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') return error.members?.errors;
    throw error;
  }
  throw new Error('the period was not rejected');
}
const fault = (name: string, words: string) => ({ in: 'query', name, detail: expect.stringContaining(words) });

describe('the period of a summary', () => {
  test('is by default the last 30 days including today, in the zone', () => {
    expect(boundaries({}, 'UTC')).toEqual(['2026-10-23T00:00:00.000Z', '2026-11-22T00:00:00.000Z']);
    // In Auckland it is the 22nd already.
    expect(boundaries({}, 'Pacific/Auckland')).toEqual(['2026-10-23T11:00:00.000Z', '2026-11-22T11:00:00.000Z']);
  });

  test('includes both of its dates, even if they are the same', () => {
    const asked = { from: '2026-11-20', to: '2026-11-20' };
    expect(boundaries(asked, 'America/Sao_Paulo')).toEqual(['2026-11-20T03:00:00.000Z', '2026-11-21T03:00:00.000Z']);
  });

  test('includes the date-time in `from` and excludes the one in `to`', () => {
    const asked = { from: '2026-11-20T10:00:00.5+02:00', to: '2026-11-20t12:30:00z' };
    expect(boundaries(asked, 'Asia/Kolkata')).toEqual(['2026-11-20T08:00:00.500Z', '2026-11-20T12:30:00.000Z']);
  });

  test('with only `from` ends with today', () => {
    expect(boundaries({ from: '2026-11-01' }, 'UTC')).toEqual(['2026-11-01T00:00:00.000Z', '2026-11-22T00:00:00.000Z']);
  });

  test('with only `to` has the 30 days that end there', () => {
    expect(boundaries({ to: '2026-03-30' }, 'UTC')).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-31T00:00:00.000Z']);
    const toNoon = ['2026-03-01T00:00:00.000Z', '2026-03-30T12:00:00.000Z'];
    expect(boundaries({ to: '2026-03-30T12:00:00Z' }, 'UTC')).toEqual(toNoon);
    expect(boundaries({ to: '2026-03-31T00:00:00Z' }, 'UTC')).toEqual([toNoon[0], '2026-03-31T00:00:00.000Z']);
  });

  test('may begin today and end in the future', () => {
    const wanted = ['2026-11-21T00:00:00.000Z', '2026-12-01T00:00:00.000Z'];
    expect(boundaries({ from: '2026-11-21', to: '2026-11-30' }, 'UTC')).toEqual(wanted);
  });

  test('is clamped to the years 1 to 9999', () => {
    const [first] = boundaries({ to: '0001-01-02' }, 'Asia/Kolkata', 'day');
    expect(first).toBe('0001-01-01T00:00:00.000Z');
    const far = new Date('9999-12-31T23:00:00Z');
    expect(boundaries({}, 'America/New_York', undefined, far).at(-1)).toBe('9999-12-31T23:59:59.999Z');
  });

  test('must not begin in the future', () => {
    expect(faultsOf(() => boundaries({ from: '2026-11-22' }, 'UTC'))).toEqual([fault('from', 'future')]);
    expect(faultsOf(() => boundaries({ from: '2026-11-21T12:00:00.001Z' }, 'UTC'))).toEqual([fault('from', 'future')]);
    expect(faultsOf(() => boundaries({ to: '2027-03-01' }, 'UTC'))).toEqual([fault('to', 'future')]);
    expect(boundaries({ from: '2026-11-21T12:00:00Z' }, 'UTC')).toHaveLength(2);
  });

  test('must not be reversed or empty', () => {
    expect(faultsOf(() => boundaries({ from: '2026-11-20', to: '2026-11-19' }, 'UTC'))).toEqual([
      fault('to', 'after `from`'),
    ]);
    const instant = '2026-11-20T10:00:00Z';
    expect(faultsOf(() => boundaries({ from: instant, to: instant }, 'UTC'))).toEqual([fault('to', 'after `from`')]);
  });

  test('has at most 366 days, however long its days are', () => {
    const [zone, to] = ['America/New_York', '2026-11-01'];
    expect(boundaries({ from: '2025-11-01', to }, zone, 'day')).toHaveLength(367);
    expect(faultsOf(() => boundaries({ from: '2025-10-31', to }, zone))).toEqual([fault('from', '366 days')]);
    expect(faultsOf(() => boundaries({ from: '2025-01-01' }, zone))).toEqual([fault('from', '366 days')]);
    const half = { from: '2025-10-31T12:00:00Z', to: '2026-11-01T12:00:00.001Z' };
    expect(faultsOf(() => boundaries(half, 'UTC'))).toEqual([fault('from', '366 days')]);
    expect(boundaries({ ...half, to: '2026-11-01T12:00:00Z' }, 'UTC', 'day')).toHaveLength(368);
  });

  test('is rejected with all of its faults at once', () => {
    const faults = faultsOf(() => boundaries({ from: '2027-02-01', to: '2027-01-01' }, 'UTC'));
    expect(faults).toEqual([fault('from', 'future'), fault('to', 'after `from`')]);
  });
});

test("the period of a lead's report is open on each side that is not given, and has no maximum length", () => {
  const open = leadPeriod({}, 'UTC', now);
  expect(open).toEqual({ from: null, to: null });
  const { from, to } = leadPeriod({ from: '2001-01-01', to: '2026-11-20' }, 'America/Sao_Paulo', now);
  expect([from, to].map((each) => each && timestampOf(each))).toEqual([
    '2001-01-01T02:00:00.000Z',
    '2026-11-21T03:00:00.000Z',
  ]);
  expect(faultsOf(() => leadPeriod({ from: '2027-01-01' }, 'UTC', now))).toEqual([fault('from', 'future')]);
  expect(faultsOf(() => leadPeriod({ from: '2026-01-02', to: '2026-01-01' }, 'UTC', now))).toEqual([
    fault('to', 'after `from`'),
  ]);
});

describe('buckets', () => {
  test('a week begins on Monday, and the period may cut the first and the last week', () => {
    expect(boundaries({ from: '2026-11-12', to: '2026-11-24' }, 'UTC', 'week')).toEqual([
      '2026-11-12T00:00:00.000Z',
      '2026-11-16T00:00:00.000Z',
      '2026-11-23T00:00:00.000Z',
      '2026-11-25T00:00:00.000Z',
    ]);
    const whole = { from: '2026-11-09', to: '2026-11-15' };
    expect(boundaries(whole, 'UTC', 'week')).toEqual(['2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z']);
  });

  test('a month begins on its first day, whatever the first day of the period', () => {
    expect(boundaries({ from: '2026-01-31', to: '2026-03-31' }, 'Asia/Kathmandu', 'month')).toEqual([
      '2026-01-30T18:15:00.000Z',
      '2026-01-31T18:15:00.000Z',
      '2026-02-28T18:15:00.000Z',
      '2026-03-31T18:15:00.000Z',
    ]);
  });

  test('a period that begins within a day has a shorter first day', () => {
    const asked = { from: '2026-11-19T15:00:00Z', to: '2026-11-20T09:00:00Z' };
    expect(boundaries(asked, 'UTC', 'day')).toEqual([
      '2026-11-19T15:00:00.000Z',
      '2026-11-20T00:00:00.000Z',
      '2026-11-20T09:00:00.000Z',
    ]);
  });

  test('a day without a midnight begins at its first instant', () => {
    // At 00:00 on 4 November clocks went to 01:00.
    expect(boundaries({ from: '2018-11-03', to: '2018-11-04' }, 'America/Sao_Paulo', 'day')).toEqual([
      '2018-11-03T03:00:00.000Z',
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T02:00:00.000Z',
    ]);
  });

  test('a day that the zone skipped has no bucket and is not a valid period', () => {
    // Samoa skipped 30 December 2011.
    expect(boundaries({ from: '2011-12-29', to: '2011-12-31' }, 'Pacific/Apia', 'day')).toEqual([
      '2011-12-29T10:00:00.000Z',
      '2011-12-30T10:00:00.000Z',
      '2011-12-31T10:00:00.000Z',
    ]);
    const skipped = { from: '2011-12-30', to: '2011-12-30' };
    expect(faultsOf(() => boundaries(skipped, 'Pacific/Apia'))).toEqual([fault('to', 'after `from`')]);
  });

  const zones = ['America/New_York', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Cairo', 'UTC'];
  /** The local date and weekday according to `Intl`. */
  const wallOf = (timeZone: string) => {
    const words = { year: 'numeric', month: '2-digit', day: '2-digit', weekday: 'short' } as const;
    const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...words });
    return (at: number) => {
      const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
      return { date: `${parts.year}-${parts.month}-${parts.day}`, weekday: parts.weekday, day: parts.day };
    };
  };

  test('days are cut exactly where the local date changes, across every clock change', () => {
    const start = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2026, 9, 1) });
    fc.assert(
      fc.property(fc.constantFrom(...zones), start, fc.integer({ min: 1, max: 20 * 24 * 60 }), (zone, ms, minutes) => {
        const wall = wallOf(zone);
        const asked = { from: new Date(ms).toISOString(), to: new Date(ms + minutes * 60_000).toISOString() };
        const cuts = boundaries(asked, zone, 'day').map((each) => Date.parse(each));
        const expected = new Set<string>();
        for (let at = ms; at < ms + minutes * 60_000; at += 30 * 60_000) expected.add(wall(at).date);
        expected.add(wall(ms + minutes * 60_000 - 1).date);
        const days = cuts.slice(0, -1).map((cut) => wall(cut).date);
        expect(days).toEqual([...expected]);
        for (const cut of cuts.slice(1, -1)) expect(wall(cut - 1).date < wall(cut).date).toBe(true);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test('every week begins when a Monday begins, and every month when its first day begins', () => {
    const year = { from: '2025-11-20', to: '2026-11-20' };
    for (const zone of zones) {
      const wall = wallOf(zone);
      const days = boundaries(year, zone, 'day').slice(1, -1);
      const of = (bucket: ReportBucket) => boundaries(year, zone, bucket).slice(1, -1);
      expect(of('week')).toEqual(days.filter((day) => wall(Date.parse(day)).weekday === 'Mon'));
      expect(of('month')).toEqual(days.filter((day) => wall(Date.parse(day)).day === '01'));
    }
  });
});

test('every zone name that Intl knows, aliases included, gives a period', () => {
  const names = [...Intl.supportedValuesOf('timeZone'), 'america/sao_paulo', 'EST5EDT', 'Etc/GMT+3', 'Asia/Calcutta'];
  for (const name of [...names, 'GMT', 'Zulu', 'US/Pacific']) expect(boundaries({}, name)).toHaveLength(2);
});

test('the date of an instant is the local date of the zone', () => {
  expect(dateIn('Pacific/Auckland', now)).toBe('2026-11-22');
  expect(dateIn('UTC', now)).toBe('2026-11-21');
});
