import { dayMs, type Span } from '@mostrador/hours/local-days';
import type { TransactionSql } from '@mostrador/kit/database/database';
import {
  type BookingRow,
  deleteBookings,
  insertBookings,
  listTouching,
  type SeenBooking,
} from './booking.repository.ts';
import { firstFreePlace, isFree, numberAgain, overlaps, placeNumber, type Taken, type Wanted } from './places.ts';

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

  /** Reads what touches the span, and what touches that, and so on. Undefined: it goes on for more than a month. */
  async function touching(span: Span): Promise<Span | undefined> {
    for (let hull = span; hull.end - hull.start < 31 * dayMs; ) {
      load(await listTouching(sql, storeId, hull));
      const rivals = taken.filter((each) => each.seller_id === null && overlaps(each, hull));
      const wider = {
        start: Math.min(hull.start, ...rivals.map(({ start }) => start)),
        end: Math.max(hull.end, ...rivals.map(({ end }) => end)),
      };
      if (wider.start === hull.start && wider.end === hull.end) return hull;
      hull = wider;
    }
    return undefined;
  }

  /** Numbers the store's places so that the span fits. They are all alike, so no booking notices. */
  async function makeRoom(span: Span, givenUp: readonly string[]): Promise<string | undefined> {
    const hull = await touching(span);
    if (!hull) return undefined;
    const isRival = (each: Taken) => each.seller_id === null && overlaps(each, hull) && !givenUp.includes(each.id);
    const rivals = taken.filter(isRival);
    const [place, ...places] = numberAgain([span, ...rivals]);
    const next = rivals.map((each, index) => ({ ...each, place: places[index] as string }));
    for (const [index, { id, place: now }] of next.entries()) if (rivals[index]?.place !== now) moved.add(id);
    taken = [...taken.filter((each) => !isRival(each)), ...next];
    return place;
  }

  return {
    holdOf(id: string): BookingRow | undefined {
      const row = taken.find((each) => each.id === id)?.row;
      return row?.expires_at ? row : undefined;
    },
    /** Takes a place for what is wanted, and gives up others. Returns a key of it. Undefined: none is free. */
    async take(
      wanted: Wanted,
      capacity: number,
      { givenUp, isHeld }: { readonly givenUp: readonly string[]; readonly isHeld: boolean },
    ): Promise<string | undefined> {
      const others = taken.filter(({ id }) => !givenUp.includes(id));
      // A busy time of the calendar takes any place of the store, and that of each seller. What is held can be kept.
      const blocking = (isHeld ? [] : busy).map((span) => ({
        ...span,
        id: '',
        place: '',
        seller_id: wanted.seller_id,
      }));
      if (!isFree([...others, ...blocking], wanted, capacity)) return undefined;
      let place = wanted.seller_id ?? firstFreePlace(others, wanted);
      if (wanted.seller_id === null && place > placeNumber(capacity)) {
        const made = await makeRoom(wanted, givenUp);
        if (!made) return undefined;
        place = made;
      }
      for (const id of givenUp) left.add(id);
      own += 1;
      const key = `own ${own}`;
      taken = [...taken.filter(({ id }) => !givenUp.includes(id)), { ...wanted, id: key, place }];
      return key;
    },
    placeOf: (key: string): string => (taken.find(({ id }) => id === key) as Taken).place,
    /** Writes what was given up, and the places that got another number. */
    async save(): Promise<void> {
      const rows = taken.flatMap(({ id, place, row }) => (row && moved.has(id) ? [{ ...row, place }] : []));
      await deleteBookings(sql, storeId, [...left, ...rows.map(({ id }) => id)]);
      await insertBookings(sql, storeId, rows);
    },
  };
}
