import { randomUUID } from 'node:crypto';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import {
  type BookingRow,
  deleteExpiredHolds,
  deleteStaleBookings,
  insertBookings,
  listTouching,
  listUnplaced,
} from './booking.repository.ts';
import { firstFreePlace, overlaps, type Taken } from './places.ts';
import { lockRules } from './rules.repository.ts';
import type { RulesRow } from './rules.ts';
import { spanOf } from './take-places.ts';

/**
 * Gives a place to every coming appointment that has none: those from before the rules, those that the previous version
 * wrote, and those whose buffers are others now. Holds stay as they are. More of them may overlap than there are places. They then have numbers beyond the capacity, or a random place
 * beside that of their seller, and count all the same. Idempotent. The caller holds the lock of the rules.
 */
export async function placeExisting(sql: TransactionSql, storeId: string, rules: RulesRow): Promise<void> {
  await deleteExpiredHolds(sql, storeId);
  await deleteStaleBookings(sql, storeId);
  const wanted = (await listUnplaced(sql, storeId))
    .map((row) => ({ ...row, ...spanOf(rules, row, row) }))
    .toSorted((a, b) => a.start - b.start);
  const [first] = wanted;
  if (!first) return;
  const end = wanted.reduce((latest, each) => Math.max(latest, each.end), first.end);
  const found = await listTouching(sql, storeId, { start: first.start, end });
  // Those that still run, as the walk goes through time.
  let running: Taken[] = [];
  const ahead: Taken[] = found
    .map(({ id, place, seller_id, starts_at, ends_at }) => ({
      ...{ id, place, seller_id },
      ...{ start: starts_at.getTime(), end: ends_at.getTime() },
    }))
    .toSorted((a, b) => b.start - a.start);
  const placed: BookingRow[] = [];
  for (const appointment of wanted) {
    const { id, seller_id, service_id, scheduled_at, duration_minutes, start, end } = appointment;
    while ((ahead.at(-1)?.start ?? Number.POSITIVE_INFINITY) < end) running.push(ahead.pop() as Taken);
    running = running.filter((each) => each.end > start);
    const isTaken = running.some((each) => each.place === seller_id && overlaps(each, appointment));
    const ownPlace = isTaken ? randomUUID() : seller_id;
    const place = ownPlace ?? firstFreePlace(running, appointment);
    running.push({ id, place, seller_id, start, end });
    placed.push({
      ...{ id, place, seller_id, service_id, scheduled_at, duration_minutes },
      ...{ starts_at: new Date(start), ends_at: new Date(end), expires_at: null, renewed: false },
    });
  }
  await insertBookings(sql, storeId, placed);
}

/**
 * Takes the locks under which the buffers of a service can change. Returns what then gives its appointments their places: no
 * booking misses the change, and neither do the first rules of a store.
 */
export async function lockPlaces(sql: TransactionSql, storeId: string): Promise<() => Promise<void>> {
  const [, rules] = await Promise.all([lockCalendarConnection(sql, storeId), lockRules(sql, storeId)]);
  return async () => {
    if (rules?.overlap === 'reject') await placeExisting(sql, storeId, rules);
  };
}
