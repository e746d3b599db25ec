import type { NoTimeReason } from '@mostrador/contracts';
import { bookingHours } from '@mostrador/hours/booking-hours';
import { dayMs, minuteMs } from '@mostrador/hours/local-days';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { listTaken } from '../booking/booking.repository.ts';
import { listBusyTimes } from '../booking/busy.repository.ts';
import type { Named } from '../booking/named.ts';
import { findRules } from '../booking/rules.repository.ts';
import { type RulesRow, requireRules } from '../booking/rules.ts';
import type { Dependencies } from '../dependencies.ts';
import { freeStarts, type Place, type Wanted } from './free-times.ts';

/** What is looked for. */
export type Search = {
  readonly named: Pick<Named, 'choice' | 'service'>;
  readonly duration_minutes: number;
};

export type Range = { readonly from: number; readonly until: number };
export type FoundTime = { readonly start: number; readonly seller_id: string | null };
type Found = {
  readonly rules: RulesRow;
  /** In order. */
  readonly times: readonly FoundTime[];
  /** Where the next times may be; null: there are no more. */
  readonly nextFrom: number | null;
  readonly reason: NoTimeReason | null;
};

/** A search reads what is taken in this much time at once, and stops when it has found enough. */
const stretchMs = 31 * dayMs;

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
  const [row] = await database.lookUp(context, (sql) => findRules(sql, context.storeId));
  const rules = requireRules(row);
  const wanted = wantedOf(rules, search);
  const bounds = boundsOf(rules, Date.now());
  const offered = { from: Math.max(range.from, bounds.from), until: Math.min(range.until, bounds.until) };
  const places = placesOf(rules, search);
  const times: FoundTime[] = [];
  const marginMs = (search.duration_minutes + wanted.bufferBeforeMinutes + wanted.bufferAfterMinutes) * minuteMs;
  for (let from = offered.from; from < offered.until; from += stretchMs) {
    const stretch = { from, until: Math.min(from + stretchMs, offered.until) };
    const around = { start: stretch.from - marginMs, end: stretch.until + marginMs };
    const [taken, busy] =
      rules.overlap === 'reject'
        ? await database.read(context, (sql) =>
            Promise.all([listTaken(sql, context.storeId, around), listBusyTimes(sql, context.storeId, [around])]),
          )
        : [undefined, []];
    const now = places.map((place) => ({ ...place, taken: [...(taken?.get(place.seller_id) ?? []), ...busy] }));
    times.push(...timesOf(now, wanted, stretch, most + 1 - times.length));
    if (times.length > most) return { rules, ...cut(times, most), reason: null };
  }
  const reason = times.length > 0 ? null : reasonFor(places, wanted, range, offered);
  return { rules, times, nextFrom: null, reason };
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
  return choice.sellers
    .filter(({ bookable, is_active }) => (bookable && is_active) || (isAllowed && choice.isNamed))
    .map(({ id, hours }) => ({ seller_id: id, hours: bookingHours(rules, hours), capacity: 1, taken: [] }));
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
