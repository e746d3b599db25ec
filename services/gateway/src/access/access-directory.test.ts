import { silentLog } from '@mostrador/testing/context';
import { expect, test } from 'vitest';
import type { Access } from './access.ts';
import { type AccessSource, createAccessDirectory } from './access-directory.ts';

const access = (keyId: string, revoked = false): Access => ({
  keyId,
  keyHash: new Uint8Array(32),
  storeId: 'store',
  tier: 'pro',
  requestsPerMinute: 6000,
  scopes: new Set(),
  expiresAtMs: null,
  revoked,
});

/** A directory over rows in memory, with a clock that the test moves. */
function scripted() {
  const rows = new Map<string, Access>();
  const state = { nowMs: 0, down: false, asked: 0, polled: [] as number[], changes: [] as Access[] };
  const source: AccessSource = {
    async find(keyId) {
      state.asked++;
      if (state.down) throw new Error('down');
      return rows.get(keyId) ?? null;
    },
    async changed(sinceSeconds) {
      state.polled.push(sinceSeconds);
      if (state.down) throw new Error('down');
      return state.changes;
    },
  };
  const directory = createAccessDirectory({ source, log: silentLog(), now: () => state.nowMs });
  return { rows, state, directory };
}

test('a key is read once and then known', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ keyId: 'a' });
  expect(await directory.lookUp('a')).toMatchObject({ keyId: 'a' });
  expect(state.asked).toBe(1);
});

test('requests that come at once with one key ask once', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await Promise.all(Array.from({ length: 20 }, () => directory.lookUp('a')));
  expect(state.asked).toBe(1);
});

test('a key that is not there is remembered too', async () => {
  const { state, directory } = scripted();
  await directory.refresh();
  expect(await directory.lookUp('a')).toBeNull();
  expect(await directory.lookUp('a')).toBeNull();
  expect(state.asked).toBe(1);
});

test('a poll replaces what changed, and takes notice of a key that was not there before', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  await directory.lookUp('b');
  state.changes = [access('a', true), access('b')];
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
  expect(await directory.lookUp('b')).toMatchObject({ keyId: 'b' });
  expect(state.asked).toBe(2);
});

test('1.5 s after the last successful poll what is known is used no more: the database is asked', async () => {
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

test('where the database cannot be asked either, the answer is service_unavailable, and it passes when it can', async () => {
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
  expect(await directory.lookUp('a')).toMatchObject({ keyId: 'a' });
});

test('before the first poll nothing is kept', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.lookUp('a');
  await directory.lookUp('a');
  expect(state.asked).toBe(2);
});

test('every poll asks for 30 s more than the time since the last successful one, for commits that come late', async () => {
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

test('more changes than a poll can carry make it forget everything', async () => {
  const { rows, state, directory } = scripted();
  rows.set('a', access('a'));
  await directory.refresh();
  await directory.lookUp('a');
  rows.set('a', access('a', true));
  state.changes = Array.from({ length: 5000 }, (_, i) => access(`k${i}`));
  await directory.refresh();
  expect(await directory.lookUp('a')).toMatchObject({ revoked: true });
});

test('an answer that a poll overtook is used once and not kept', async () => {
  const answer = Promise.withResolvers<Access | null>();
  let asked = 0;
  let nowMs = 0;
  const source: AccessSource = {
    find: () => (asked++ === 0 ? answer.promise : Promise.resolve(access('a', true))),
    changed: async () => [],
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

test('an answer that took longer than what is known may be used, as in a process that stood still, is asked for again', async () => {
  const first = Promise.withResolvers<Access | null>();
  let asked = 0;
  let nowMs = 0;
  const source: AccessSource = {
    find: () => (asked++ === 0 ? first.promise : Promise.resolve(access('a', true))),
    changed: async () => [],
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

test('a notice in the middle of a poll has it polled once more', async () => {
  const first = Promise.withResolvers<Access[]>();
  let polls = 0;
  const source: AccessSource = {
    find: async () => null,
    changed: () => (polls++ === 0 ? first.promise : Promise.resolve([])),
  };
  const directory = createAccessDirectory({ source, log: silentLog() });
  const started = directory.refresh();
  const notices = [directory.refresh(), directory.refresh()];
  first.resolve([]);
  await Promise.all([started, ...notices]);
  expect(polls).toBe(2);
});
