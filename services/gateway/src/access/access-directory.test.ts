import { silentLog } from '@mostrador/testing/context';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Access } from './access.ts';
import { type AccessChanges, type AccessSource, createAccessDirectory } from './access-directory.ts';

const access = (keyId: string, revoked = false): Access => ({
  callerId: keyId,
  keyHash: new Uint8Array(32),
  storeId: 'store',
  tier: 'pro',
  requestsPerMinute: 6000,
  country: null,
  scopes: new Set(),
  expiresAtMs: null,
  revoked,
});

const nothing: AccessChanges = { changed: [], deleted: [] };

/** A directory over rows in memory, with a clock that the test moves. */
function scripted() {
  const rows = new Map<string, Access>();
  const state = {
    nowMs: 0,
    down: false,
    asked: 0,
    polled: [] as number[],
    changes: [] as Access[],
    deleted: [] as string[],
  };
  const source: AccessSource = {
    async find(keyId) {
      state.asked++;
      if (state.down) throw new Error('down');
      return rows.get(keyId) ?? null;
    },
    async changes(sinceSeconds) {
      state.polled.push(sinceSeconds);
      if (state.down) throw new Error('down');
      return { changed: state.changes, deleted: state.deleted };
    },
  };
  const directory = createAccessDirectory({ source, log: silentLog(), now: () => state.nowMs });
  return { rows, state, directory };
}

test('a key is read from the database once and then cached', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ callerId: 'a' });
  expect(await directory.lookUp('a')).toMatchObject({ callerId: 'a' });
  expect(state.asked).toBe(1);
});

test('concurrent requests with one key share one database read', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await Promise.all(Array.from({ length: 20 }, () => directory.lookUp('a')));
  expect(state.asked).toBe(1);
});

test('an unknown key is cached too', async () => {
  const { state, directory } = scripted();
  await directory.refresh();
  expect(await directory.lookUp('a')).toBeNull();
  expect(await directory.lookUp('a')).toBeNull();
  expect(state.asked).toBe(1);
});

test('a poll replaces changed keys and adds a key that was cached as unknown', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  await directory.lookUp('b');
  state.changes = [access('a', true), access('b')];
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
  expect(await directory.lookUp('b')).toMatchObject({ callerId: 'b' });
  expect(state.asked).toBe(2);
});

test('a poll forgets deleted keys', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  rows.delete('a');
  state.deleted = ['a'];
  await directory.refresh();
  expect(await directory.lookUp('a')).toBeNull();
});

test('a flood of unknown keys displaces no key from the cache', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  for (let i = 0; i < 60_000; i++) await directory.lookUp(`unknown${i}`);
  const asked = state.asked;
  expect(await directory.lookUp('a')).toMatchObject({ callerId: 'a' });
  expect(state.asked).toBe(asked);
});

test('4,000 keys are read at once and further ones get service_unavailable, but not keys that were read before', async () => {
  const blocked = Promise.withResolvers<null>();
  let nowMs = 0;
  const source: AccessSource = {
    find: (keyId) => (keyId === 'a' ? Promise.resolve(access('a')) : blocked.promise),
    changes: async () => nothing,
  };
  const directory = createAccessDirectory({ source, log: silentLog(), now: () => nowMs });
  await directory.refresh();
  await directory.lookUp('a');
  const flood = Array.from({ length: 4000 }, (_, i) => directory.lookUp(`unknown${i}`));
  await expect(directory.lookUp('unknown4000')).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await directory.lookUp('a')).toMatchObject({ callerId: 'a' });
  // The cache is too old, so that this key is read again.
  nowMs = 1501;
  expect(await directory.lookUp('a')).toMatchObject({ callerId: 'a' });
  nowMs = 0;
  blocked.resolve(null);
  expect(await Promise.all(flood)).toEqual(flood.map(() => null));
  expect(await directory.lookUp('unknown4000')).toBeNull();
});

test('more than 1.5 s after the last successful poll, a look-up ignores the cache and reads the database', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  state.nowMs = 1500;
  await directory.lookUp('a');
  expect(state.asked).toBe(1);
  state.nowMs = 1501;
  rows.set('a', access('a', true));
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
  expect(state.asked).toBe(2);
});

test('with a stale cache and no database a look-up gets service_unavailable until the database is back', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  state.down = true;
  state.nowMs = 1501;
  await directory.refresh();
  await expect(directory.lookUp('a')).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
  state.down = false;
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ callerId: 'a' });
});

test('nothing is cached before the first poll', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.lookUp('a');
  await directory.lookUp('a');
  expect(state.asked).toBe(2);
});

test('every poll covers 30 s more than the time since the last successful poll, for late commits', async () => {
  const { state, directory } = scripted();
  await directory.refresh();
  state.nowMs = 500;
  state.down = true;
  await directory.refresh();
  state.nowMs = 90_000;
  state.down = false;
  await directory.refresh();
  state.nowMs = 90_500;
  await directory.refresh();
  expect(state.polled).toEqual([30, 30.5, 120, 30.5]);
});

test('a poll that reaches its limit of changes clears the cache', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  rows.set('a', access('a', true));
  state.changes = Array.from({ length: 5000 }, (_, i) => access(`k${i}`));
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
});

test('a read that began before the last poll is used once and not cached', async () => {
  const answer = Promise.withResolvers<Access | null>();
  let asked = 0;
  let nowMs = 0;
  const source: AccessSource = {
    find: () => (asked++ === 0 ? answer.promise : Promise.resolve(access('a', true))),
    changes: async () => nothing,
  };
  const directory = createAccessDirectory({ source, log: silentLog(), now: () => nowMs });
  await directory.refresh();
  nowMs = 100;
  const first = directory.lookUp('a');
  nowMs = 200;
  await directory.refresh();
  answer.resolve(access('a'));
  expect(await first).toMatchObject({ revoked: false });
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
});

test('a read that took more than 1.5 s, as in a suspended process, is repeated', async () => {
  const first = Promise.withResolvers<Access | null>();
  let asked = 0;
  let nowMs = 0;
  const source: AccessSource = {
    find: () => (asked++ === 0 ? first.promise : Promise.resolve(access('a', true))),
    changes: async () => nothing,
  };
  const directory = createAccessDirectory({ source, log: silentLog(), now: () => nowMs });
  await directory.refresh();
  const before = directory.lookUp('a');
  nowMs = 1501;
  const after = directory.lookUp('a');
  first.resolve(access('a'));
  expect(await before).toMatchObject({ revoked: true });
  expect(await after).toMatchObject({ revoked: true });
});

test('a notice during a poll causes one more poll', async () => {
  const first = Promise.withResolvers<AccessChanges>();
  let polls = 0;
  const source: AccessSource = {
    find: async () => null,
    changes: () => (polls++ === 0 ? first.promise : Promise.resolve(nothing)),
  };
  const directory = createAccessDirectory({ source, log: silentLog() });
  const started = directory.refresh();
  const notices = [directory.refresh(), directory.refresh()];
  first.resolve(nothing);
  await Promise.all([started, ...notices]);
  expect(polls).toBe(2);
});

test('polls pause while no key is used, and the next look-up trusts no older cache', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let polls = 0;
  const found: Access[] = [access('a'), access('a', true)];
  const source: AccessSource = {
    find: async () => found.shift() ?? null,
    async changes() {
      polls += 1;
      return nothing;
    },
  };
  const directory = createAccessDirectory({ source, log: silentLog(), now: Date.now });
  await directory.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(polls).toBe(1);
  expect(await directory.lookUp('a')).toMatchObject({ revoked: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(polls).toBeGreaterThanOrEqual(10);
  const used = polls;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(polls).toBeLessThanOrEqual(used + 12);
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
  await directory.stop();
});
