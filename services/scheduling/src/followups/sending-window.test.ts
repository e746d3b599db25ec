import type { SendingWindows } from '@mostrador/contracts';
import { minutesOf } from '@mostrador/hours/local-days';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextOpening, planAttempt, spreadMs } from './sending-window.ts';

const minuteMs = 60_000;
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const window = (weekdays: readonly (typeof days)[number][], from: string, to: string): SendingWindows[number] => ({
  weekdays: [...weekdays],
  from,
  to,
});
const opening = (windows: SendingWindows, zone: string, instant: string) =>
  nextOpening(windows, zone, new Date(instant)).at.toISOString();

/** An independent check of whether the local time is inside a window, by the text that Intl prints. */
function walker(windows: SendingWindows, zone: string) {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at: number) => {
    const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
    const minute = Number(parts.hour) * 60 + Number(parts.minute);
    const day = String(parts.weekday).toLowerCase();
    return windows.some(
      ({ weekdays, from, to }) =>
        weekdays.some((name) => name === day) && minutesOf(from) <= minute && minute < minutesOf(to),
    );
  };
}

const time = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const windowsOf = fc.array(
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...days), { minLength: 1, maxLength: 7 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 1440 }), { minLength: 2, maxLength: 2 }),
    )
    .map(([weekdays, times]) => window(weekdays, time(Math.min(...times)), time(Math.max(...times)))),
  { minLength: 1, maxLength: 4 },
);
/** Clock changes, and ordinary days. */
const around = fc.constantFrom(
  ['Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2027-10-31T01:00:00Z'],
  ['America/New_York', '2027-03-14T07:00:00Z'],
  ['America/New_York', '2027-11-07T06:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
  ['Australia/Lord_Howe', '2027-10-02T15:30:00Z'],
  ['America/Santiago', '2027-09-05T04:00:00Z'],
  ['America/Sao_Paulo', '2026-11-21T12:00:00Z'],
  ['Asia/Kolkata', '2026-12-31T20:00:00Z'],
  ['Asia/Kathmandu', '2026-12-31T20:00:00Z'],
) as fc.Arbitrary<[string, string]>;

test('the next opening is the first minute whose local time is inside a window, across every clock change', () => {
  fc.assert(
    fc.property(windowsOf, around, fc.integer({ min: -2880, max: 1440 }), (windows, [zone, middle], shift) => {
      const start = Date.parse(middle) + shift * minuteMs;
      const { at, openForMs } = nextOpening(windows, zone, new Date(start));
      const inside = walker(windows, zone);
      let expected = start;
      while (!inside(expected)) expected += minuteMs;
      expect(at.toISOString()).toBe(new Date(expected).toISOString());
      expect(openForMs).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
}, 60_000);

test('without windows every instant is open', () => {
  expect(opening([], 'UTC', '2026-11-21T03:00:00.123Z')).toBe('2026-11-21T03:00:00.123Z');
});

test('an instant inside a window stays unchanged, and the end of a window is outside', () => {
  const windows = [window(['saturday'], '09:00', '18:00')];
  expect(opening(windows, 'UTC', '2026-11-21T17:59:59.999Z')).toBe('2026-11-21T17:59:59.999Z');
  expect(opening(windows, 'UTC', '2026-11-21T18:00:00.000Z')).toBe('2026-11-28T09:00:00.000Z');
});

test('a window until 24:00 and one from 00:00 have no gap between them', () => {
  const windows = [window(['saturday'], '20:00', '24:00'), window(['sunday'], '00:00', '02:00')];
  expect(opening(windows, 'UTC', '2026-11-21T23:59:59.999Z')).toBe('2026-11-21T23:59:59.999Z');
  expect(opening(windows, 'UTC', '2026-11-22T00:00:00.000Z')).toBe('2026-11-22T00:00:00.000Z');
});

test('a window that starts in a skipped hour opens at the first moment after that hour', () => {
  expect(opening([window(['sunday'], '02:30', '04:00')], 'Europe/Berlin', '2027-03-28T00:10:00Z')).toBe(
    '2027-03-28T01:00:00.000Z',
  );
});

test('both passes of a repeated hour are inside', () => {
  const windows = [window(['sunday'], '02:00', '03:00')];
  for (const inside of ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z']) {
    expect(opening(windows, 'Europe/Berlin', inside)).toBe(inside);
  }
});

test('attempts are spread over the first 5 minutes of a window, deterministically and within the window', () => {
  const windows = [window(['saturday'], '09:00', '18:00'), window(['sunday'], '09:00', '09:01')];
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const at = planAttempt(windows, 'UTC', new Date('2026-11-21T03:00:00Z'), id);
      const afterOpening = at.getTime() - Date.parse('2026-11-21T09:00:00Z');
      expect(afterOpening).toBeGreaterThanOrEqual(0);
      expect(afterOpening).toBeLessThan(spreadMs);
      expect(planAttempt(windows, 'UTC', new Date('2026-11-21T04:00:00Z'), id)).toEqual(at);
      const short = planAttempt(windows, 'UTC', new Date('2026-11-22T03:00:00Z'), id);
      expect(short.getTime()).toBeLessThan(Date.parse('2026-11-22T09:01:00Z'));
    }),
  );
});
