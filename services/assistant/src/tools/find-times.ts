import { randomUUID } from 'node:crypto';
import {
  type FreeTime,
  getAppointment,
  getAvailability,
  getService,
  type NoTimeReason,
  type ReplyOf,
} from '@mostrador/contracts';
import { dateAfter, localTimeOf, startOfDay } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import type { StepCall } from '../turns/step-call.ts';
import type { NewOffer } from './offer.repository.ts';
import { mostDays, type PartOfDay, timeLabel } from './offered-tools.ts';
import type { ToolOutput } from './step.ts';

export type FindTimesInput = {
  readonly from?: string;
  readonly to?: string;
  readonly part_of_day?: PartOfDay;
  readonly near?: string;
  readonly service?: string;
  /** The appointment that is to move. */
  readonly appointment?: string;
};

/** A time that a message can offer, as the output of `find_times` has it. */
export type FoundTime = { readonly offer: string; readonly label: string };

const mostOffers = 5;
/** A page has up to 500 times. */
const mostPages = 10;
const defaultMinutes = 60;

/** Finds free times, and makes offers of a few of them. `now`: the moment that a search counts its days from. */
export async function findTimes(
  { rpc }: Pick<Dependencies, 'rpc'>,
  call: StepCall,
  input: FindTimesInput,
  { timezone, title, now = new Date() }: { readonly timezone: string; readonly title: string; readonly now?: Date },
): Promise<{ readonly output: ToolOutput; readonly offers: readonly NewOffer[] }> {
  const range = rangeOf(input, timezone, now);
  if (!range) return { output: { error: 'invalid_range' }, offers: [] };
  const wanted = await readWanted({ rpc }, call, input, title);
  const { moved, duration_minutes, service_id, seller_id } = wanted;
  const query = {
    ...{ to: range.to.toISOString(), duration_minutes },
    ...(service_id && { service_id }),
    ...(seller_id && { seller_id }),
    ...(moved && { appointment_id: moved.id }),
  };
  const data: FreeTime[] = [];
  let reason: NoTimeReason | null = null;
  let next: string | null = range.from.toISOString();
  for (let page = 0; next !== null && page < mostPages; page += 1) {
    const found: ReplyOf<typeof getAvailability> = await rpc.call(
      getAvailability,
      { query: { ...query, from: next } },
      call,
    );
    data.push(...found.data);
    ({ reason, next_from: next } = found);
  }
  const starts = startsOf(data).filter(
    (start) =>
      isIn(localTimeOf(start, timezone).time, input.part_of_day) &&
      // That it already has.
      start.getTime() !== (moved && toInstant(moved.scheduled_at).getTime()),
  );
  const few =
    input.near === undefined
      ? spread(starts, mostOffers)
      : nearest(starts, (start) => minutesBetween(localTimeOf(start, timezone).time, input.near as string), mostOffers);
  const offers = few.map(
    (starts_at): NewOffer => ({
      ...{ id: randomUUID(), starts_at, duration_minutes, service_id, title: wanted.title },
    }),
  );
  const times = offers.map(
    ({ id, starts_at }): FoundTime => ({
      ...{ offer: id, label: timeLabel(localTimeOf(starts_at, timezone)) },
    }),
  );
  const output = next === null ? {} : { searched_to: localTimeOf(toInstant(next), timezone).date };
  const none = times.length > 0 || next !== null ? null : (reason ?? 'full');
  return { output: { times, reason: none, timezone, ...output }, offers };
}

/** What a time is looked for. An appointment that moves keeps what it has: also its service, whatever the input says. */
async function readWanted(
  { rpc }: Pick<Dependencies, 'rpc'>,
  call: StepCall,
  { service, appointment }: FindTimesInput,
  title: string,
) {
  if (appointment) {
    const moved = await rpc.call(getAppointment, { params: { appointmentId: appointment } }, call);
    const { duration_minutes, service_id = null, seller_id = null } = moved;
    return { moved, duration_minutes, service_id, seller_id, title: moved.title };
  }
  const found = service ? await rpc.call(getService, { params: { serviceId: service } }, call) : undefined;
  const { id: service_id = null, duration_minutes = defaultMinutes, name = title } = found ?? {};
  return { moved: undefined, duration_minutes, service_id, seller_id: null, title: name };
}

/** From the first day to the end of the last one, but never in the past. Undefined: there is no such range. Pure. */
export function rangeOf(
  { from, to }: Pick<FindTimesInput, 'from' | 'to'>,
  timezone: string,
  now: Date,
): { readonly from: Date; readonly to: Date } | undefined {
  const first = from ?? localTimeOf(now, timezone).date;
  const last = to ?? dateAfter(first, 6);
  const after = last && dateAfter(last, 1);
  const [begins, ends] = [startOfDay(first, timezone), after && startOfDay(after, timezone)];
  const latest = dateAfter(first, mostDays + 1);
  if (!begins || !ends || !after || !latest || after > latest || ends <= now || ends <= begins) return undefined;
  return { from: begins > now ? begins : now, to: ends };
}

/** Each start once, in order. */
const startsOf = (times: readonly FreeTime[]): Date[] =>
  [...new Set(times.map(({ start }) => start))].toSorted().map((start) => toInstant(start));

function isIn(time: string, part: PartOfDay | undefined): boolean {
  if (!part) return true;
  const actual = time < '12:00' ? 'morning' : time < '18:00' ? 'afternoon' : 'evening';
  return actual === part;
}

/** Minutes between two times of day, each as `HH:MM`. */
function minutesBetween(one: string, other: string): number {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  return Math.abs(minutesOf(one) - minutesOf(other));
}

/** The `most` items with the least distance, the first ones among equals, in their order. Pure. */
export function nearest<Item>(items: readonly Item[], distance: (item: Item) => number, most: number): Item[] {
  const near = new Set(items.toSorted((one, other) => distance(one) - distance(other)).slice(0, most));
  return items.filter((item) => near.has(item));
}

/** At most `most` items, evenly from the first to the last. Pure. */
export const spread = <Item>(items: readonly Item[], most: number): Item[] =>
  items.length <= most
    ? [...items]
    : Array.from({ length: most }, (_, place) => items[Math.round((place * (items.length - 1)) / (most - 1))] as Item);
