import { type HoursOfDay, minuteMs, type Span } from '@mostrador/hours/local-days';
import { openSpans } from '@mostrador/hours/open-spans';
import { startsOf } from '@mostrador/hours/starts';
import type { Spans } from '../booking/spans.ts';

/** A place, or several that are alike. */
export type Place = {
  readonly seller_id: string | null;
  readonly hours: HoursOfDay;
  /** How many bookings may run at once. */
  readonly capacity: number;
  readonly taken: readonly Spans[];
};

export type Wanted = {
  readonly zone: string;
  readonly stepMinutes: number;
  readonly durationMinutes: number;
  readonly bufferBeforeMinutes: number;
  readonly bufferAfterMinutes: number;
};

/** When as many run at once as there may be, in order. */
export function fullSpans(taken: readonly Spans[], capacity: number): Span[] {
  if (capacity <= 0) return [{ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }];
  const starts = sorted(joined(taken.map((spans) => spans.starts)));
  const ends = sorted(joined(taken.map((spans) => spans.ends)));
  const full: Span[] = [];
  let since: number | undefined;
  for (let begun = 0, ended = 0; ended < ends.length; ) {
    const [start = Number.POSITIVE_INFINITY, end = Number.POSITIVE_INFINITY] = [starts[begun], ends[ended]];
    // What ends makes room for what begins at the same moment.
    if (start < end) {
      begun += 1;
      if (begun - ended === capacity) since ??= start;
    } else {
      ended += 1;
      if (begun - ended === capacity - 1 && since !== undefined) {
        if (end > since) full.push({ start: since, end });
        since = undefined;
      }
    }
  }
  return full;
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** PostgreSQL gives most of them in order, and sorting those would take most of the time of a search in a full year. */
function sorted(moments: Float64Array): Float64Array {
  for (let index = 1; index < moments.length; index += 1) {
    // Typed arrays sort numbers in a tenth of the time.
    if ((moments[index] as number) < (moments[index - 1] as number)) return moments.sort();
  }
  return moments;
}

/** The starts from `from` to before `until` at which the place is open for the whole time, and free with both buffers. */
export function* freeStarts(
  { hours, capacity, taken }: Place,
  wanted: Wanted,
  { from, until }: { readonly from: number; readonly until: number },
): Generator<number> {
  const { zone, stepMinutes } = wanted;
  const lengthMs = wanted.durationMinutes * minuteMs;
  const beforeMs = wanted.bufferBeforeMinutes * minuteMs;
  const afterMs = wanted.bufferAfterMinutes * minuteMs;
  const full = fullSpans(taken, capacity);
  const spans = openSpans(hours, zone, from, until + lengthMs);
  let open = spans.next();
  let next = 0;
  for (const start of startsOf(hours, zone, stepMinutes, { from, until })) {
    const end = start + lengthMs;
    while (!open.done && open.value.end <= start) open = spans.next();
    if (open.done) return;
    if (open.value.start > start || open.value.end < end) continue;
    // Spans that end before this start end before every later one.
    while (next < full.length && (full[next] as Span).end <= start - beforeMs) next += 1;
    const nearest = full[next];
    if (nearest && nearest.start < end + afterMs) continue;
    yield start;
  }
}
