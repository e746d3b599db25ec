import type { OpeningHours } from '@mostrador/contracts';
import { bookingHours } from '@mostrador/hours/booking-hours';
import { minuteMs, type Span } from '@mostrador/hours/local-days';
import { openSpans } from '@mostrador/hours/open-spans';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { findBuffers, type ServiceBuffers } from '../services/service.repository.ts';
import { type BookingRow, deleteBookings, findAround, type SeenBooking } from './booking.repository.ts';
import { toSpan } from './busy.repository.ts';
import { holdFaults } from './hold-faults.ts';
import type { RulesRow } from './rules.ts';
import { createPlaces, type Places } from './taken-places.ts';

/** A seller as crm told. */
export type BookedSeller = {
  readonly id: string;
  readonly is_active: boolean;
  readonly bookable: boolean;
  readonly hours: OpeningHours[] | null;
};

/** Whose place it may be: the first who is open and free gets the booking. Empty: a place of the store. */
export type Choice = {
  readonly sellers: readonly BookedSeller[];
  /** The request names the seller, so no other one is taken. */
  readonly isNamed: boolean;
};

/** A booking that asks for a place. */
export type Wish = {
  readonly choice: Choice;
  readonly scheduled_at: Date;
  readonly duration_minutes: number;
  readonly service_id: string | null;
  /** The hold that it uses. */
  readonly hold_id: string | null;
  /** The appointment that moves, whose place it gives up. */
  readonly appointment_id: string | null;
};

/** What a booking gets. Without a place the store allows overlaps. */
type Grant = {
  readonly seller_id: string | null;
  readonly booking: Omit<BookingRow, 'id' | 'expires_at' | 'renewed'> | null;
};

/** The time that a booking takes, with its buffers. */
export function spanOf(
  rules: Pick<RulesRow, 'buffer_before_minutes' | 'buffer_after_minutes'>,
  wish: Pick<Wish, 'scheduled_at' | 'duration_minutes'>,
  /** Of its service. Null: those of the rules. */
  buffers: ServiceBuffers | undefined,
): Span {
  const before = buffers?.buffer_before_minutes ?? rules.buffer_before_minutes;
  const after = buffers?.buffer_after_minutes ?? rules.buffer_after_minutes;
  const at = wish.scheduled_at.getTime();
  return { start: at - before * minuteMs, end: at + (wish.duration_minutes + after) * minuteMs };
}

/** What is taken where the wishes are, when the calendar is busy there, and the buffers of their services. */
type Around = {
  readonly found: readonly SeenBooking[];
  readonly busy: readonly Span[];
  readonly buffers: ReadonlyMap<string, ServiceBuffers>;
};

/** Reads what `takePlaces` needs. It may be sent together with the lock of the rules, after which it then runs. */
export async function readAround(sql: TransactionSql, storeId: string, wishes: readonly Wish[]): Promise<Around> {
  const named = wishes.flatMap(({ hold_id, appointment_id }) => [hold_id ?? [], appointment_id ?? []].flat());
  const services = [...new Set(wishes.flatMap(({ service_id }) => service_id ?? []))];
  const [rows, buffers] = await Promise.all([
    findAround(sql, storeId, wishes, named),
    services.length > 0 ? findBuffers(sql, storeId, services) : [],
  ]);
  return {
    buffers: new Map(buffers.map((row) => [row.id, row])),
    found: rows.filter((row) => row.id !== null),
    busy: rows.filter((row) => row.id === null).map(toSpan),
  };
}

/**
 * Grants the wishes of a store in their order, or refuses some: each sees the places of those before it. The caller holds the
 * lock of the rules, and inserts the bookings once it knows their ids. What a wish gives up is deleted only when it is granted.
 * `around` was read under that lock; by default it is read now.
 */
export async function takePlaces(
  sql: TransactionSql,
  storeId: string,
  rules: RulesRow,
  wishes: readonly Wish[],
  around?: Around,
): Promise<(Grant | AppError)[]> {
  if (rules.overlap === 'allow') return await allow(sql, storeId, rules, wishes, around);
  const { found, busy, buffers } = around ?? (await readAround(sql, storeId, wishes));
  const places = createPlaces(sql, storeId, found, busy);
  const grants: (Granted | AppError)[] = [];
  for (const wish of wishes) {
    grants.push(
      await grantOf(places, rules, wish, wish.service_id ? buffers.get(wish.service_id.toLowerCase()) : undefined),
    );
  }
  await places.save();
  // Only now: a later wish may have given an earlier one another number.
  return grants.map((grant) =>
    grant instanceof AppError
      ? grant
      : { seller_id: grant.booking.seller_id, booking: { ...grant.booking, place: places.placeOf(grant.key) } },
  );
}

/** Without places only the hours can refuse a time. A hold from before such rules can still be used. */
async function allow(
  sql: TransactionSql,
  storeId: string,
  rules: RulesRow,
  wishes: readonly Wish[],
  around: Around | undefined,
): Promise<(Grant | AppError)[]> {
  const { found } =
    around ?? (wishes.some(({ hold_id }) => hold_id) ? await readAround(sql, storeId, wishes) : nothing);
  const holds = new Map(
    found.filter(({ expires_at, is_expired }) => expires_at && !is_expired).map((row) => [row.id, row]),
  );
  const used: string[] = [];
  const grants = wishes.map((wish): Grant | AppError => {
    const hold = wish.hold_id === null ? undefined : holds.get(wish.hold_id);
    const refusal = refusalOfHold(wish, hold);
    if (refusal) return refusal;
    const open = hold ? [hold.seller_id] : openChoices(rules, wish);
    if (open instanceof AppError) return open;
    if (hold && holds.delete(hold.id)) used.push(hold.id);
    return { seller_id: wish.choice.isNamed ? (open[0] ?? null) : null, booking: null };
  });
  await deleteBookings(sql, storeId, used);
  return grants;
}

const nothing: Pick<Around, 'found'> = { found: [] };

function refusalOfHold(wish: Wish, hold: BookingRow | undefined): AppError | null {
  if (wish.hold_id !== null && !hold) return new AppError('hold_not_found');
  const faults = hold ? holdFaults(hold, wish) : [];
  return faults.length > 0 ? validationFailed(faults) : null;
}

/** `key` finds the place. */
type Granted = { readonly key: string; readonly booking: Omit<NonNullable<Grant['booking']>, 'place'> };

async function grantOf(
  places: Places,
  rules: RulesRow,
  wish: Wish,
  buffers: ServiceBuffers | undefined,
): Promise<Granted | AppError> {
  const { scheduled_at, duration_minutes, service_id, choice } = wish;
  const hold = wish.hold_id === null ? undefined : places.holdOf(wish.hold_id);
  const refusal = refusalOfHold(wish, hold);
  if (refusal) return refusal;
  const span = spanOf(rules, wish, buffers);
  if (!hold && choice.isNamed && !choice.sellers.every(({ bookable }) => bookable)) {
    return new AppError('seller_not_bookable');
  }
  const open = hold ? [hold.seller_id] : openChoices(rules, wish);
  if (open instanceof AppError) return open;
  // A time that is held can be kept, whatever the rules are by now: with its buffers as they are now.
  const held = hold && hullOf(toSpan(hold), spanOf(rules, hold, hold.service_id ? buffers : undefined));
  const givenUp = [wish.hold_id ?? [], wish.appointment_id ?? []].flat();
  for (const seller_id of open) {
    const key = await places.take({ ...span, seller_id }, rules.capacity, { givenUp, held });
    if (!key) continue;
    const [starts_at, ends_at] = [new Date(span.start), new Date(span.end)];
    return { key, booking: { seller_id, starts_at, ends_at, scheduled_at, duration_minutes, service_id } };
  }
  return new AppError('appointment_conflict');
}

const hullOf = (one: Span, other: Span): Span => ({
  start: Math.min(one.start, other.start),
  end: Math.max(one.end, other.end),
});

/** The sellers, or the store (null), who are open for the whole time. When none is, and the rules allow it, all of them. */
function openChoices(rules: RulesRow, { choice, scheduled_at, duration_minutes }: Wish): (string | null)[] | AppError {
  const { sellers, isNamed } = choice;
  const able = isNamed ? sellers : sellers.filter(({ bookable, is_active }) => bookable && is_active);
  if (sellers.length > 0 && able.length === 0) return new AppError('seller_not_bookable');
  const [start, end] = [scheduled_at.getTime(), scheduled_at.getTime() + duration_minutes * minuteMs];
  const isOpen = (own: OpeningHours[] | null) => {
    const [first] = openSpans(bookingHours(rules, own), rules.timezone, start, end);
    return first?.start === start && first.end === end;
  };
  const open =
    sellers.length > 0 ? able.filter(({ hours }) => isOpen(hours)).map(({ id }) => id) : isOpen(null) ? [null] : [];
  if (open.length > 0) return open;
  if (rules.outside_hours === 'reject') return new AppError('outside_opening_hours');
  return sellers.length > 0 ? able.map(({ id }) => id) : [null];
}
