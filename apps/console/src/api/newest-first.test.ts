import { expect, test } from 'vitest';
import { itemsOf, needsNext, type PagePart, partsWith, withNewest } from './newest-first.ts';

type Item = { id: string; at: number };
const order = { idOf: ({ id }: Item) => id, atOf: ({ at }: Item) => String(at).padStart(6, '0') };
const make = (ids: readonly number[]): Item[] => ids.map((at) => ({ id: `i${at}`, at }));
const part = (cursor: string | undefined, ids: readonly number[], next?: string): PagePart<Item> => ({
  cursor,
  items: make(ids),
  next,
});
const ids = (pages: readonly PagePart<Item>[]) => itemsOf(pages, order).map(({ id }) => id);

test('new items come before the parts that were read, and none is lost between them', () => {
  const before = [part(undefined, [9, 8, 7], 'c7'), part('c7', [6, 5, 4], 'c4')];
  const after = withNewest(before, part(undefined, [11, 10, 9], 'c9'), order);
  expect(ids(after)).toEqual(['i11', 'i10', 'i9', 'i8', 'i7', 'i6', 'i5', 'i4']);
  expect(after.at(-1)?.next).toBe('c4');
});

test('an item that moved to the front from an older part is shown once', () => {
  const before = [part(undefined, [9, 8, 7], 'c7'), part('c7', [6, 5, 4], 'c4')];
  const moved = { cursor: undefined, items: [{ id: 'i5', at: 10 }, ...make([9, 8])], next: 'c8' };
  expect(ids(withNewest(before, moved, order))).toEqual(['i5', 'i9', 'i8', 'i7', 'i6', 'i4']);
});

test('an item of the first page that the list no longer has disappears', () => {
  const before = [part(undefined, [9, 8, 7], 'c7'), part('c7', [6, 5], undefined)];
  expect(ids(withNewest(before, part(undefined, [9, 7, 6], 'c6'), order))).toEqual(['i9', 'i7', 'i6', 'i5']);
});

test('when a whole page is new, the list begins again there', () => {
  const before = [part(undefined, [9, 8, 7], 'c7'), part('c7', [6, 5, 4], 'c4')];
  expect(ids(withNewest(before, part(undefined, [22, 21, 20], 'c20'), order))).toEqual(['i22', 'i21', 'i20']);
});

test('a list that has one page now is replaced', () => {
  expect(ids(withNewest([part(undefined, [9, 8], 'c8')], part(undefined, [3], undefined), order))).toEqual(['i3']);
});

test('what new items push out of the only page stays, so that nothing moves under a person who reads it', () => {
  const [whole, first] = [part(undefined, [9, 8, 7]), part(undefined, [9, 8, 7], 'c7')];
  const newest = part(undefined, [11, 10, 9], 'c9');
  expect(ids(withNewest([whole], newest, order))).toEqual(['i11', 'i10', 'i9', 'i8', 'i7']);
  expect(withNewest([whole], newest, order).at(-1)?.next).toBeUndefined();
  expect(withNewest([first], newest, order).at(-1)?.next).toBe('c7');
});

test('pages are read until they join what is known, or until it is too much', () => {
  const known = [part(undefined, [9, 8, 7], 'c7')];
  const newest = part(undefined, [22, 21, 20], 'c20');
  const asked = { ...order, changed: new Set<string>() };
  expect(needsNext(known, newest, { ...asked, read: 1 })).toBe(true);
  expect(needsNext(known, newest, { ...asked, read: 5 })).toBe(false);
  expect(needsNext(known, part(undefined, [22, 21, 9], 'c9'), { ...asked, read: 1 })).toBe(false);
  expect(needsNext(known, part(undefined, [22, 21, 20]), { ...asked, read: 1 })).toBe(false);
  expect(needsNext([], newest, { ...asked, read: 1 })).toBe(false);
});

test('a changed item that was pushed out is read again', () => {
  const known = [part(undefined, [9, 8, 7], 'c7')];
  const newest = part(undefined, [11, 10, 9], 'c9');
  expect(needsNext(known, newest, { ...order, changed: new Set(['i8']), read: 1 })).toBe(true);
  expect(needsNext(known, newest, { ...order, changed: new Set(['i9', 'i4']), read: 1 })).toBe(false);
});

test('only older parts with a changed item are read again', () => {
  const pages = [part(undefined, [9, 8], 'c8'), part('c8', [7, 6], 'c6'), part('c6', [5, 4], undefined)];
  expect(partsWith(pages, new Set(['i9', 'i5']), order)).toEqual(['c6']);
});
