import { createRandom } from '@mostrador/testing/random';
import { expect, test } from 'vitest';
import { createCallRoom } from './call-room.ts';

const bounds = { ofStore: 16, ofProcess: 48, ofFirst: 16 };

/** Stores that begin and end calls as the pump does. */
function stage() {
  const room = createCallRoom(bounds);
  const running = new Map<string, number>();
  const runningOf = (store: string) => running.get(store) ?? 0;
  /** The store wants this many calls. Returns how many it began. */
  const want = (store: string, count: number, isNew: boolean): number => {
    const begun = Math.min(count, room.roomFor(store, isNew));
    const hadTurn = room.pass(store);
    room.begin(store, begun);
    running.set(store, runningOf(store) + begun);
    if (begun === 0 && !room.isFull(store)) room.wait(store, isNew, count);
    if (begun === 0 || hadTurn) room.letOn().forEach(goOn);
    return begun;
  };
  /** The calls that each store still wants when its turn comes. */
  const wanted = new Map<string, { count: number; isNew: boolean }>();
  const goOn = (store: string) => {
    const { count, isNew } = wanted.get(store) ?? { count: bounds.ofStore, isNew: true };
    want(store, count, isNew);
  };
  return {
    room,
    wanted,
    want,
    runningOf,
    all: () => [...running.values()].reduce((sum, each) => sum + each, 0),
    /** The store has nothing to send any more. */
    leave(store: string) {
      room.pass(store);
      room.letOn().forEach(goOn);
    },
    busyStores: () => [...running.values()].filter((count) => count > 0).length,
    end(store: string, count = 1) {
      room.end(store, count);
      running.set(store, runningOf(store) - count);
      room.letOn().forEach(goOn);
    },
  };
}

test.each([1, 2, 3, 4, 5])(
  '%i: whatever the stores do, one without a call begins one at once for a new message, and the bounds hold',
  (seed) => {
    const random = createRandom(seed);
    const { room, want, leave, end, runningOf, all, busyStores } = stage();
    const floods = Array.from({ length: 15 }, (_, index) => `flood ${index}`);
    for (let step = 0; step < 2_000; step += 1) {
      const store = random.pick(floods);
      const what = random.next();
      if (what < 0.6) want(store, 1 + random.below(40), random.next() < 0.7);
      else if (what < 0.65) leave(store);
      else if (runningOf(store) > 0) end(store, 1 + random.below(runningOf(store)));
      expect(runningOf(store)).toBeLessThanOrEqual(bounds.ofStore);
      expect(all()).toBeLessThanOrEqual(bounds.ofProcess + bounds.ofFirst);
      // What is beyond the shared calls are single calls of as many stores.
      expect(all() - bounds.ofProcess).toBeLessThanOrEqual(busyStores());
      expect(room.roomFor('another store', true)).toBeGreaterThanOrEqual(1);
      // No store waits while a whole set of calls is free.
      if (all() <= bounds.ofProcess - 6) expect(room.roomFor('another store', false)).toBeGreaterThanOrEqual(1);
    }
  },
);

test('four stores whose new messages never end leave the calls beyond the shared ones to others', () => {
  const { want, all } = stage();
  for (let round = 0; round < 100; round += 1) for (const store of ['a', 'b', 'c', 'd']) want(store, 16, true);
  // The last one has had its first call.
  expect(all()).toBe(bounds.ofProcess + 1);
  for (let store = 1; store < bounds.ofFirst; store += 1) expect(want(`store ${store}`, 5, true)).toBe(1);
  expect(want('one more', 1, true)).toBe(0);
});

test('a turn has all calls that are free, so that what is sent together stays together', () => {
  const { want, wanted, end, runningOf } = stage();
  for (const store of ['a', 'b', 'c']) want(store, 16, false);
  const waiting = Array.from({ length: 20 }, (_, index) => `waiting ${index}`);
  for (const store of waiting) {
    wanted.set(store, { count: 10, isNew: false });
    expect(want(store, 10, false)).toBe(0);
  }
  end('a', 16);
  // What the first one leaves is for the next one.
  expect(waiting.map(runningOf).filter((calls) => calls > 0)).toEqual([10, 6]);
});

test('calls that end one by one become turns of sets', () => {
  const { want, wanted, end, runningOf } = stage();
  for (const store of ['a', 'b', 'c']) want(store, 16, false);
  const waiting = Array.from({ length: 8 }, (_, index) => `waiting ${index}`);
  for (const store of waiting) {
    wanted.set(store, { count: 10, isNew: false });
    want(store, 10, false);
  }
  for (let ended = 0; ended < 15; ended += 1) end('a');
  expect(waiting.map(runningOf).filter((calls) => calls > 0)).toEqual([6, 6]);
});

test('while the due store waits for a set, one of the other queue goes before it, once', () => {
  const room = createCallRoom(bounds);
  for (const store of ['a', 'b', 'c']) room.begin(store, 16);
  room.wait('set', true, 16);
  for (const store of ['small', 'smaller']) room.wait(store, false, 1);
  room.end('a', 1);
  expect(room.letOn()).toEqual(['small']);
  room.end('a', 1);
  expect(room.letOn()).toEqual([]);
  room.end('a', 5);
  expect(room.letOn()).toEqual(['set']);
});

test('when the due store leaves, the others need not wait for it', () => {
  const room = createCallRoom(bounds);
  for (const store of ['a', 'b', 'c']) room.begin(store, 16);
  room.wait('set', true, 16);
  for (const store of ['small', 'smaller']) room.wait(store, false, 1);
  room.end('a', 2);
  expect(room.letOn()).toEqual(['small']);
  room.pass('set');
  expect(room.letOn()).toEqual(['smaller']);
});

test('a store that waits gets a turn, however many others have new messages', () => {
  const { want, wanted, end, runningOf } = stage();
  const floods = ['a', 'b', 'c', 'd', 'e'];
  for (const store of floods) want(store, 16, true);
  wanted.set('patient', { count: 1, isNew: false });
  expect(want('patient', 1, false)).toBe(0);
  let ended = 0;
  while (runningOf('patient') === 0 && ended < 100) {
    end(floods.find((store) => runningOf(store) > 0) as string);
    ended += 1;
    for (const store of floods) want(store, 16, true);
  }
  // Two stores have their first call beyond the shared ones, and one waits before it.
  expect(ended).toBeLessThanOrEqual(4);
});

test('a turn keeps no more calls than its store wants, so that the turns of small stores come at once', () => {
  const room = createCallRoom(bounds);
  for (const store of ['a', 'b', 'c']) room.begin(store, 16);
  for (let store = 0; store < 20; store += 1) room.wait(`small ${store}`, false, 2);
  room.end('a', 16);
  expect(room.letOn()).toHaveLength(8);
  expect(room.letOn()).toEqual([]);
});
