import { mostBufferMinutes, mostHorizonDays, type NoTimeReason } from '@mostrador/contracts';
import { bookingHours } from '@mostrador/hours/booking-hours';
import { dayMs, minuteMs, type Span } from '@mostrador/hours/local-days';
import type { Sql } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { listTaken } from '../booking/booking.repository.ts';
import { findBusyTimes, toSpan } from '../booking/busy.repository.ts';
import type { Named } from '../booking/named.ts';
import { findRules } from '../booking/rules.repository.ts';
import { type RulesRow, requireRules } from '../booking/rules.ts';
import { type Spans, spansOf } from '../booking/spans.ts';
import { findQuietWatch } from '../calendar-watch/watch.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { freeStarts, type Place, type Wanted } from './free-times.ts';

/** What is looked for. */
export type Search = {
  readonly named: Pick<Named, 'choice' | 'service'>;
  readonly duration_minutes: number;
  /** The appointment that is to move, whose place counts as free. Null: none. */
  readonly appointment_id: string | null;
};

export type Range = { readonly from: number; readonly until: number };
export type FoundTime = { readonly start: number; readonly seller_id: string | null };
type Found = {
  readonly rules: RulesRow;
  /** Whether there is any place, free or not: all sellers of a service may be not bookable. */
  readonly hasPlace: boolean;
  /** Whether the store's calendar takes time, and is read only now and then. */
  readonly isCalendarQuiet: boolean;
  /** In order. */
  readonly times: readonly FoundTime[];
  /** Where the next times may be; null: there are no more. */
  readonly nextFrom: number | null;
  readonly reason: NoTimeReason | null;
};

/** A search reads what is taken in this much time first, and stops when it has found enough. */
const firstStretchMs = 31 * dayMs;
/** A longer stretch is expected to have at most as many taken times. */
const mostTaken = 20_000;

/**
 * The free times of a range, at most about `most`. Those that start at the same moment come together.
 *
 * @throws AppError `booking_rules_not_found`
 */
export async function findFreeTimes(
  { database }: Pick<Dependencies, 'database'>,
  context: StoreContext,
  search: Search,
  range: Range,
  most: number,
): Promise<Found> {
  const now = Date.now();
  const latest = now + mostHorizonDays * dayMs + 1;
  const whole = { from: Math.max(range.from, now), until: Math.min(range.until, latest) };
  const around = ({ from, until }: Range): Span => {
    const marginMs = (search.duration_minutes + 2 * mostBufferMinutes) * minuteMs;
    return { start: from - marginMs, end: until + marginMs };
  };
  const nearest = stretchAt(whole, whole.from, firstStretchMs);
  // In one round trip with the rules, which say where the offered times begin.
  const [[row], [quiet], first] = await database.read(context, (sql) =>
    Promise.all([
      findRules(sql, context.storeId),
      findQuietWatch(sql, context.storeId),
      nearest.from < nearest.until ? takenIn(sql, context.storeId, around(nearest), search) : nothingTaken,
    ]),
  );
  const rules = requireRules(row);
  const isCalendarQuiet = rules.overlap === 'reject' && quiet !== undefined;
  const wanted = wantedOf(rules, search);
  const bounds = boundsOf(rules, now);
  const offered = { from: Math.max(range.from, bounds.from), until: Math.min(range.until, bounds.until) };
  const places = placesOf(rules, search);
  const times: FoundTime[] = [];
  let stretch = nearest;
  for (
    let lengthMs = firstStretchMs;
    stretch.from < stretch.until;
    stretch = stretchAt(whole, stretch.until, lengthMs)
  ) {
    const part = { from: Math.max(stretch.from, offered.from), until: Math.min(stretch.until, offered.until) };
    if (part.from >= part.until) continue;
    const [taken, busy] =
      rules.overlap === 'allow'
        ? nothingTaken
        : stretch === nearest
          ? first
          : await database.read(context, (sql) => takenIn(sql, context.storeId, around(stretch), search));
    const open = places.map((each) => ({ ...each, taken: [taken.get(each.seller_id) ?? noSpans, busy] }));
    times.push(...timesOf(open, wanted, part, most + 1 - times.length));
    if (times.length > most) return { hasPlace: true, isCalendarQuiet, rules, ...cut(times, most), reason: null };
    lengthMs = nextLengthMs(stretch, [taken, busy]);
  }
  const reason = times.length > 0 ? null : reasonFor(places, wanted, range, offered);
  return { hasPlace: places.length > 0, isCalendarQuiet, rules, times, nextFrom: null, reason };
}

/** The part of the range that begins there. It is empty behind the range. */
const stretchAt = ({ until }: Range, from: number, lengthMs: number): Range => ({
  from,
  until: Math.min(from + lengthMs, until),
});

/** Twice as long, so that a full year takes few reads, but not when so much is taken that a read would need much memory. */
function nextLengthMs({ from, until }: Range, [taken, busy]: Taken): number {
  const count = [...taken.values(), busy].reduce((sum, { starts }) => sum + starts.length, 1);
  const lengthMs = until - from;
  return Math.max(firstStretchMs, Math.min(2 * lengthMs, (lengthMs * mostTaken) / count));
}

type Taken = readonly [taken: ReadonlyMap<string | null, Spans>, busy: Spans];
const noSpans = spansOf([]);
const nothingTaken: Taken = [new Map(), noSpans];

/** What a booking in the span would meet. */
async function takenIn(sql: Sql, storeId: string, span: Span, { appointment_id }: Search): Promise<Taken> {
  const [taken, busy] = await Promise.all([
    listTaken(sql, storeId, span, appointment_id),
    findBusyTimes(sql, storeId, span),
  ]);
  return [taken, spansOf(busy.map(toSpan))];
}

/** Which starts the rules offer now. */
export const boundsOf = (rules: RulesRow, now: number): Range => ({
  from: now + rules.minimum_notice_minutes * minuteMs,
  until: now + rules.horizon_days * dayMs + 1,
});

const wantedOf = (rules: RulesRow, { named: { service }, duration_minutes }: Search): Wanted => ({
  zone: rules.timezone,
  stepMinutes: rules.slot_step_minutes,
  durationMinutes: duration_minutes,
  bufferBeforeMinutes: service?.buffer_before_minutes ?? rules.buffer_before_minutes,
  bufferAfterMinutes: service?.buffer_after_minutes ?? rules.buffer_after_minutes,
});

/** The places, as if nothing were taken. */
function placesOf(rules: RulesRow, { named: { choice } }: Search): Place[] {
  const isAllowed = rules.overlap === 'allow';
  if (choice.sellers.length === 0) {
    const capacity = isAllowed ? Number.POSITIVE_INFINITY : rules.capacity;
    return [{ seller_id: null, hours: bookingHours(rules), capacity, taken: [] }];
  }
  return (
    choice.sellers
      // Whom the request names is new, and then active, or is the seller of the appointment that moves, as in a booking.
      .filter(({ bookable, is_active }) => (choice.isNamed ? bookable || isAllowed : bookable && is_active))
      .map(({ id, hours }) => ({ seller_id: id, hours: bookingHours(rules, hours), capacity: 1, taken: [] }))
  );
}

/** The first times of the places, at least `most` if there are as many. */
function timesOf(places: readonly Place[], wanted: Wanted, range: Range, most: number): FoundTime[] {
  const found = places.flatMap((place) => {
    const { seller_id } = place;
    return firstOf(freeStarts(place, wanted, range), most).map((start) => ({ start, seller_id }));
  });
  return places.length > 1 ? found.toSorted((a, b) => a.start - b.start) : found;
}

function firstOf<Item>(items: Iterable<Item>, most: number): Item[] {
  const first: Item[] = [];
  for (const item of items) if (first.push(item) >= most) break;
  return first;
}

/** The first times, without a part of those that start together, and where the others begin. */
function cut(times: readonly FoundTime[], most: number): { times: FoundTime[]; nextFrom: number } {
  const next = (times[most] as FoundTime).start;
  const whole = times.slice(0, most).filter(({ start }) => start < next);
  if (whole.length > 0) return { times: whole, nextFrom: next };
  const together = times.filter(({ start }) => start === next);
  return { times: together, nextFrom: next + 1 };
}

/** Why nothing is free. */
function reasonFor(places: readonly Place[], wanted: Wanted, range: Range, offered: Range): NoTimeReason {
  const hasOpening = (part: Range) =>
    part.from < part.until &&
    places.some((place) => !freeStarts({ ...place, capacity: Number.POSITIVE_INFINITY }, wanted, part).next().done);
  if (hasOpening(offered)) return 'full';
  if (hasOpening({ from: range.from, until: Math.min(range.until, offered.from) })) return 'too_soon';
  if (hasOpening({ from: Math.max(range.from, offered.until), until: range.until })) return 'too_far';
  return 'closed';
}
