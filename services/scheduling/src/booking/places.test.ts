import type { Span } from '@mostrador/hours/local-days';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullSpans } from '../availability/free-times.ts';
import { firstFreePlace, isFree, makeRoom, mostAtOnce, overlaps, placeNumber, type Taken } from './places.ts';
import { spansOf } from './spans.ts';

const spanOf = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }))
  .map(([start, length]): Span => ({ start, end: start + length }));
const spans = fc.array(spanOf, { maxLength: 30 });

/** How many run at each moment, counted one by one. */
const runningAt = (all: readonly Span[], at: number) => all.filter(({ start, end }) => start <= at && at < end).length;

test('the most at once is that of the fullest moment of the span, and what ends makes room for what begins', () => {
  fc.assert(
    fc.property(spans, spanOf, (all, span) => {
      const moments = Array.from({ length: span.end - span.start }, (_, index) => runningAt(all, span.start + index));
      expect(mostAtOnce(all, span)).toBe(Math.max(...moments));
    }),
  );
});

test('a moment is full exactly when as many run as there may be', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: 0, max: 4 }), (all, capacity) => {
      const full = fullSpans([spansOf(all.slice(0, 9)), spansOf(all.slice(9))], capacity);
      for (let at = 0; at < 80; at += 1) {
        expect(full.some(({ start, end }) => start <= at && at < end)).toBe(runningAt(all, at) >= capacity);
      }
    }),
  );
});

/** Each at random one of the numbers that are free then. More of them may run at once than there are places. */
function numbered(all: readonly Span[], picks: readonly number[]): Taken[] {
  const placed: Taken[] = [];
  for (const [index, span] of all.toSorted((a, b) => a.start - b.start).entries()) {
    const free = Array.from({ length: all.length }, (_, number) => placeNumber(number + 1)).filter(
      (place) => !placed.some((each) => each.place === place && overlaps(each, span)),
    );
    const most = Math.max(1, 3 - placed.filter((each) => overlaps(each, span)).length);
    const place = free[(picks[index] ?? 0) % most] as string;
    placed.push({ ...span, id: String(index), seller_id: null, place });
  }
  return placed;
}

test('there is room wherever fewer run than there may be, nothing is then taken twice, and only what must changes', () => {
  fc.assert(
    fc.property(spans, fc.array(fc.nat(), { maxLength: 30 }), spanOf, (some, picks, span) => {
      const all = numbered(some, picks);
      const capacity = mostAtOnce(all, span) + 1;
      const { place, moved, end } = makeRoom(span, all);
      const after = [
        { ...span, id: 'new', place },
        ...all.map((each) => ({ ...each, place: moved.get(each.id) ?? each.place })),
      ];
      for (const [index, one] of after.entries()) {
        for (const other of after.slice(index + 1)) {
          if (overlaps(one, other)) expect(one.place).not.toBe(other.place);
        }
      }
      expect(place <= placeNumber(capacity)).toBe(true);
      for (const { id, start } of all) if (start <= span.start || start >= end) expect(moved.has(id)).toBe(false);
      // What begins after the last change need not be known.
      const known = all.filter(({ start }) => start < end);
      expect(makeRoom(span, known)).toEqual({ place, moved, end });
    }),
  );
});

const taken = (place: string, start: number, end: number, seller_id: string | null = null): Taken => ({
  ...{ id: `${place} ${start}`, place, seller_id, start, end },
});

test('a seller has one place, and the store has as many as its capacity, which count apart', () => {
  const all = [taken('ana', 9, 10, 'ana'), taken(placeNumber(1), 9, 10), taken(placeNumber(2), 9, 10)];
  expect(isFree(all, { seller_id: 'ana', start: 9, end: 10 }, 9)).toBe(false);
  expect(isFree(all, { seller_id: 'ana', start: 10, end: 11 }, 0)).toBe(true);
  expect(isFree(all, { seller_id: 'rui', start: 9, end: 10 }, 0)).toBe(true);
  expect(isFree(all, { seller_id: null, start: 9, end: 10 }, 2)).toBe(false);
  expect(isFree(all, { seller_id: null, start: 9, end: 10 }, 3)).toBe(true);
  expect(firstFreePlace(all, { start: 9, end: 10 })).toBe(placeNumber(3));
});

test('two hours fit beside one hour on each of two places, which then get other numbers', () => {
  const all = [taken(placeNumber(1), 9, 10), taken(placeNumber(2), 10, 11)];
  expect(isFree(all, { seller_id: null, start: 9, end: 11 }, 2)).toBe(true);
  const { place, moved } = makeRoom({ start: 9, end: 11 }, all);
  expect([place, ...moved.values()]).toEqual([placeNumber(2), placeNumber(1)]);
});
