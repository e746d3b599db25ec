import { type ReportBucket, reportBuckets, type SummaryReport } from '@mostrador/contracts';
import type { Random } from '@mostrador/testing/random';
import { calendarOf, datesBetween } from './calendar.ts';
import type { Era, History } from './history.ts';
import { recount, type Span } from './recount.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const era = (from: string, to: string, ...notable: string[]): Era => ({
  ...{ from: new Date(from), to: new Date(to) },
  notable: notable.map((instant) => new Date(instant)),
});
/** Periods with clock changes in these zones. Notable instants are the clock changes and some midnights. */
export const eras: Readonly<Record<string, Era>> = {
  // Clocks changed at midnight: 4 November 2018 began at 01:00, and the last hour of 16 February 2019 occurred twice.
  'America/Sao_Paulo': era(
    ...(['2018-10-20T12:00Z', '2019-03-05T12:00Z'] as const),
    ...['2018-11-04T03:00Z', '2019-02-17T02:00Z', '2019-02-17T03:00Z', '2018-12-01T02:00Z', '2019-01-01T02:00Z'],
  ),
  // The offset is half an hour off, and the clock changes by half an hour.
  'Australia/Lord_Howe': era(
    ...(['2026-03-20T00:00Z', '2026-10-20T00:00Z'] as const),
    ...['2026-04-04T15:00Z', '2026-10-03T15:30Z', '2026-04-03T13:00Z', '2026-06-30T13:30Z', '2026-10-04T13:00Z'],
  ),
  'America/New_York': era(
    ...(['2025-10-20T00:00Z', '2026-04-01T00:00Z'] as const),
    ...['2025-11-02T06:00Z', '2026-03-08T07:00Z', '2025-11-02T04:00Z', '2025-12-01T05:00Z', '2026-03-09T04:00Z'],
  ),
  UTC: era('2026-05-01T00:00Z', '2026-06-15T00:00Z', '2026-05-04T00:00Z', '2026-06-01T00:00Z'),
};

/** A query for a report, and the expected answer. */
export type Case = {
  readonly query: Readonly<Record<string, string>>;
  readonly within: Span;
  /** The period's first and last date in the zone's calendar. */
  readonly dates: readonly [string, string];
  readonly report: ReturnType<typeof recount>;
  /** Counts by the first date of each bucket. */
  readonly series: ReadonlyMap<string, Omit<NonNullable<SummaryReport['series']>[number], 'start'>>;
};

export function createCase(random: Random, zone: string, history: History): Case {
  const { bucket, ...asked } = ask(random, zone);
  const { dateOf, bucketOf } = calendarOf(zone);
  const query = { ...asked.query, ...(bucket ? { bucket } : {}) };
  const series: [string, Omit<NonNullable<SummaryReport['series']>[number], 'start'>][] = [];
  if (bucket) {
    const keys = new Set(datesBetween(...asked.dates).map((date) => bucketOf(date, bucket)));
    for (const key of keys) {
      const counted = recount(history, (at) => asked.within(at) && bucketOf(dateOf(at), bucket) === key);
      const { by_status: _leads, ...leads } = counted.leads;
      const { by_status: _status, by_seller: _sellers, by_service: _services, ...appointments } = counted.appointments;
      const { by_ad: _ads, ...conversations } = counted.conversations;
      const { followups } = counted;
      series.push([key, { leads, conversations, appointments, followups }]);
    }
  }
  return { ...asked, query, report: recount(history, asked.within), series: new Map(series) };
}

/** A random period in the zone's era, in dates or date-times, with or without buckets. */
function ask(random: Random, zone: string): Pick<Case, 'query' | 'within' | 'dates'> & { bucket?: ReportBucket } {
  const { from, to, notable } = eras[zone] as Era;
  const { dateOf } = calendarOf(zone);
  const instant = () => {
    const near = random.pick(notable).getTime() + Math.round((random.next() - 0.5) * 2 * dayMs);
    return random.below(2) === 0 ? near : Math.floor(from.getTime() + random.next() * (to.getTime() - from.getTime()));
  };
  const ends = [instant(), instant() + 1].sort((a, b) => a - b).map((ms) => new Date(ms)) as [Date, Date];
  const [first, last] = ends;
  const bucket = random.pick([...reportBuckets, undefined]);
  if (random.below(2) === 0) {
    const dates = [dateOf(first), dateOf(last)] as const;
    const within: Span = (at) => dateOf(at) >= dates[0] && dateOf(at) <= dates[1];
    return { query: { timezone: zone, from: dates[0], to: dates[1] }, within, dates, bucket };
  }
  return {
    query: { timezone: zone, from: written(random, first), to: written(random, last) },
    within: (at) => at >= first && at < last,
    dates: [dateOf(first), dateOf(new Date(last.getTime() - 1))],
    bucket,
  };
}

/** Formats the instant with a random offset. */
function written(random: Random, instant: Date): string {
  const [sign, minutes] = [random.pick([-1, 1]), random.pick([0, 60, 330, 570])];
  const local = new Date(instant.getTime() + sign * minutes * minuteMs).toISOString().slice(0, -1);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}${sign < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
