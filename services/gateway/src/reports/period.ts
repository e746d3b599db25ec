import {
  firstInstantMs,
  lastInstantMs,
  longestReportDays,
  type ReportBucket,
  type ValidationFault,
} from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
// Computes days across clock changes. Node's own Temporal can replace it later.
import { Temporal } from 'temporal-polyfill';

/** From `from` (inclusive) to `to` (exclusive), both in the time zone of the report. */
export type Period = { readonly from: Temporal.ZonedDateTime; readonly to: Temporal.ZonedDateTime };
/** Null: no beginning, or no end. */
type OpenPeriod = { readonly [Side in keyof Period]: Period[Side] | null };
/** The dates or date-times of the query: well-formed, but not checked further. */
export type AskedPeriod = { readonly from?: string; readonly to?: string };

const dayMs = 24 * 3_600_000;
const never = Number.POSITIVE_INFINITY;
/** The days of a summary without `from`. */
const usualDays = 30;

/** The period of a summary. Throws `validation_failed` with all of its faults. */
export function summaryPeriod(asked: AskedPeriod, timeZone: string, now: Date): Period {
  const to = asked.to === undefined ? dayAfter(dateOf(now, timeZone), timeZone) : endOf(asked.to, timeZone);
  const lastDay = to.subtract({ milliseconds: 1 }).toPlainDate();
  const from =
    asked.from === undefined
      ? lastDay.subtract({ days: usualDays - 1 }).toZonedDateTime(timeZone)
      : beginningOf(asked.from, timeZone);

  const faults = faultsOf(asked, { from, to }, now);
  if (isBefore(from.add({ days: longestReportDays }), to)) {
    const detail = `must be at most ${longestReportDays} days before the end of the period`;
    faults.push({ in: 'query', name: 'from', detail });
  }
  if (faults.length > 0) throw validationFailed(faults);
  return { from: inYears(from), to: inYears(to) };
}

/**
 * The period of a lead's report, open on each side that is not given. Throws `validation_failed` with its faults and
 * `otherFaults`.
 */
export function leadPeriod(
  asked: AskedPeriod,
  timeZone: string,
  now: Date,
  otherFaults: readonly ValidationFault[] = [],
): OpenPeriod {
  const period = {
    from: asked.from === undefined ? null : beginningOf(asked.from, timeZone),
    to: asked.to === undefined ? null : endOf(asked.to, timeZone),
  };
  const faults = [...otherFaults, ...faultsOf(asked, period, now)];
  if (faults.length > 0) throw validationFailed(faults);
  return { from: period.from && inYears(period.from), to: period.to && inYears(period.to) };
}

function faultsOf(asked: AskedPeriod, { from, to }: OpenPeriod, now: Date): ValidationFault[] {
  const faults: ValidationFault[] = [];
  if (from && from.epochMilliseconds > now.getTime()) {
    const name = asked.from === undefined ? 'to' : 'from';
    faults.push({ in: 'query', name, detail: 'must not move the start of the period into the future' });
  }
  if (asked.from !== undefined && asked.to !== undefined && from && to && !isBefore(from, to)) {
    faults.push({ in: 'query', name: 'to', detail: 'must be after `from`' });
  }
  return faults;
}

/**
 * The start of each bucket, then the end of the period, in epoch milliseconds. The period may cut the first and the
 * last bucket. A day that the zone skipped has no bucket.
 */
export function boundariesOf({ from, to }: Period, bucket: ReportBucket | undefined): number[] {
  const endMs = to.epochMilliseconds;
  const boundaries = [from.epochMilliseconds];
  for (const startMs of bucket === undefined ? [] : startsOf(from, bucket)) {
    if (startMs >= endMs) break;
    if (startMs > (boundaries.at(-1) as number)) boundaries.push(startMs);
  }
  return [...boundaries, endMs];
}

/** The endless starts of the buckets after the one with this instant, in epoch milliseconds. */
function* startsOf(from: Temporal.ZonedDateTime, bucket: ReportBucket): Generator<number> {
  if (bucket === 'day') return yield* startsOfDays(from);
  for (let day = from.toPlainDate(); ; ) {
    day = bucket === 'week' ? day.add({ days: 8 - day.dayOfWeek }) : day.with({ day: 1 }).add({ months: 1 });
    yield day.toZonedDateTime(from.timeZoneId).epochMilliseconds;
  }
}

/**
 * Adds 24 hours for each day. It asks the zone only at a clock change and for a day that does not begin at midnight,
 * because asking for each day of a year would take longer than everything else here.
 */
function* startsOfDays(from: Temporal.ZonedDateTime): Generator<number> {
  const today = from.toPlainDate();
  let startMs = Number.NaN;
  let changeMs = Number.NaN;
  for (let days = 1; ; days++) {
    startMs += dayMs;
    if (!(startMs < changeMs)) {
      const start = today.add({ days }).toZonedDateTime(from.timeZoneId);
      startMs = start.epochMilliseconds;
      const isMidnight = start.hour === 0 && start.minute === 0 && start.second === 0;
      changeMs = isMidnight ? (start.getTimeZoneTransition('next')?.epochMilliseconds ?? never) : startMs;
    }
    yield startMs;
  }
}

/** The instant in the timestamp format of the API. */
export const timestampOf = (instant: Temporal.ZonedDateTime): string =>
  toTimestamp(new Date(instant.epochMilliseconds));

/** The local date in the zone at this instant: `2027-01-31`. */
export const dateIn = (timeZone: string, instant: Date): string => dateOf(instant, timeZone).toString();

const isDate = (text: string): boolean => text.length === '2027-01-31'.length;

/** The first instant of the date, which is not always midnight; or the date-time itself. */
const beginningOf = (text: string, timeZone: string): Temporal.ZonedDateTime =>
  isDate(text) ? Temporal.PlainDate.from(text).toZonedDateTime(timeZone) : zoned(toInstant(text), timeZone);

/** The first instant after the date; or the date-time itself. */
const endOf = (text: string, timeZone: string): Temporal.ZonedDateTime =>
  isDate(text) ? dayAfter(Temporal.PlainDate.from(text), timeZone) : zoned(toInstant(text), timeZone);

const dayAfter = (date: Temporal.PlainDate, timeZone: string): Temporal.ZonedDateTime =>
  date.add({ days: 1 }).toZonedDateTime(timeZone);

const zoned = (instant: Date, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);

const dateOf = (instant: Date, timeZone: string): Temporal.PlainDate => zoned(instant, timeZone).toPlainDate();

const isBefore = (one: Temporal.ZonedDateTime, other: Temporal.ZonedDateTime): boolean =>
  one.epochMilliseconds < other.epochMilliseconds;

/** Clamps to the instants that a timestamp can name. A date at the edge may lie outside, where no data exists. */
const inYears = (instant: Temporal.ZonedDateTime): Temporal.ZonedDateTime =>
  zoned(new Date(Math.min(Math.max(instant.epochMilliseconds, firstInstantMs), lastInstantMs)), instant.timeZoneId);
