import { randomUUID } from 'node:crypto';
import type { Span } from '@mostrador/hours/local-days';
import type { TransactionSql } from '@mostrador/kit/database/database';
import {
  type BookingRow,
  deleteBookings,
  insertBookings,
  listTouching,
  type SeenBooking,
} from './booking.repository.ts';
import { firstFreePlace, isFree, makeRoom, placeNumber, type Taken, type Wanted } from './places.ts';

const takenBy = (row: BookingRow): Taken & { readonly row: BookingRow } => ({
  id: row.id,
  place: row.place,
  seller_id: row.seller_id,
  start: row.starts_at.getTime(),
  end: row.ends_at.getTime(),
  row,
});

export type Places = ReturnType<typeof createPlaces>;

/** What is taken in the store as this transaction sees it, with what it takes itself. */
export function createPlaces(
  sql: TransactionSql,
  storeId: string,
  found: readonly SeenBooking[],
  busy: readonly Span[],
) {
  let taken: (Taken & { row?: BookingRow })[] = [];
  const loaded = new Set<string>();
  const left = new Set<string>();
  const moved = new Set<string>();
  let own = 0;

  /** Adds what was read. Expired holds give up their places. */
  function load(rows: readonly SeenBooking[]): void {
    for (const row of rows) {
      if (loaded.has(row.id)) continue;
      loaded.add(row.id);
      if (row.is_expired) left.add(row.id);
      else taken.push(takenBy(row));
    }
  }
  load(found);

  /** Gives the store's places other numbers so that the span fits. They are all alike, so no booking notices. */
  async function takeRoom(span: Span, givenUp: readonly string[]): Promise<string> {
    // Twice as far each time: the changes may reach from booking to booking to the last one.
    for (let [from, until] = [span.start, span.end]; ; ) {
      load(await listTouching(sql, storeId, { start: from, end: until }));
      const isRival = (each: Taken) => each.seller_id === null && each.start < until && !givenUp.includes(each.id);
      const { place, moved: changed, end } = makeRoom(span, taken.filter(isRival));
      if (end > until) {
        [from, until] = [until, Math.max(end, until + (until - span.start))];
        continue;
      }
      for (const id of changed.keys()) moved.add(id);
      taken = taken.map((each) => ({ ...each, place: changed.get(each.id) ?? each.place }));
      return place;
    }
  }

  return {
    holdOf(id: string): BookingRow | undefined {
      const row = taken.find((each) => each.id === id)?.row;
      return row?.expires_at ? row : undefined;
    },
    /**
     * Takes a place for what is wanted, and gives up others. Returns a key of it. Undefined: none is free. What lies within
     * `held` gets one all the same, beside more than there are places: the rules have changed since it was held.
     */
    async take(
      wanted: Wanted,
      capacity: number,
      { givenUp, held }: { readonly givenUp: readonly string[]; readonly held: Span | undefined },
    ): Promise<string | undefined> {
      const others = taken.filter(({ id }) => !givenUp.includes(id));
      // A busy time of the calendar takes any place of the store, and that of each seller. What is held can be kept.
      const blocking = (held ? [] : busy).map((span) => ({ ...span, id: '', place: '', seller_id: wanted.seller_id }));
      const isWithin = held !== undefined && held.start <= wanted.start && wanted.end <= held.end;
      const fits = isFree([...others, ...blocking], wanted, capacity);
      if (!fits && !isWithin) return undefined;
      let place = wanted.seller_id ?? firstFreePlace(others, wanted);
      if (fits && wanted.seller_id === null && place > placeNumber(capacity)) place = await takeRoom(wanted, givenUp);
      // As of appointments that overlapped before the rules.
      if (!fits && wanted.seller_id !== null) place = randomUUID();
      for (const id of givenUp) left.add(id);
      own += 1;
      const key = `own ${own}`;
      taken = [...taken.filter(({ id }) => !givenUp.includes(id)), { ...wanted, id: key, place }];
      return key;
    },
    placeOf: (key: string): string => (taken.find(({ id }) => id === key) as Taken).place,
    /** Writes what was given up, and the places that got another number. */
    async save(): Promise<void> {
      const places = new Map(taken.flatMap(({ id, place, row }) => (row && moved.has(id) ? [[id, place]] : [])));
      const deleted = await deleteBookings(sql, storeId, [...left, ...places.keys()]);
      // As they are now: a hold may have been renewed or released since it was read.
      const rows = deleted.flatMap((row) => {
        const place = places.get(row.id);
        return place ? { ...row, place } : [];
      });
      await insertBookings(sql, storeId, rows);
    },
  };
}
