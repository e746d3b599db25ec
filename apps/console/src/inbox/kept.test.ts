import { expect, test } from 'vitest';
import { isLate, keep, readKept } from './kept.ts';
import type { Outgoing } from './outgoing.ts';
import type { OwnStorage } from './own-storage.ts';

const now = Date.parse('2026-11-23T12:00:00.000Z');
const hours = (count: number) => new Date(now - count * 3_600_000).toISOString();
const item = (key: string, createdAt = hours(0)): Outgoing => ({
  key,
  text: key,
  createdAt,
  state: 'lost',
  before: [],
});

function newStorage(): OwnStorage {
  const kept = new Map<string, string>();
  return {
    read: (name) => kept.get(name) ?? null,
    write: (name, value) => void (value === null ? kept.delete(name) : kept.set(name, value)),
  };
}
const keysOf = (storage: OwnStorage) => readKept(storage, 'lead', now).map(({ key }) => key);

test('two tabs that write to one lead keep the messages of each other', () => {
  const storage = newStorage();
  keep(storage, 'lead', { had: [], items: [item('a')] });
  keep(storage, 'lead', { had: [], items: [item('b')] });
  expect(keysOf(storage)).toEqual(['a', 'b']);
  keep(storage, 'lead', { had: [item('b')], items: [] });
  expect(keysOf(storage)).toEqual(['a']);
  keep(storage, 'lead', { had: [item('a')], items: [] });
  expect(storage.read('outbox.lead')).toBeNull();
});

test('a message whose key the server may have forgotten is for the person to decide', () => {
  const storage = newStorage();
  keep(storage, 'lead', { had: [], items: [item('old', hours(24)), item('new', hours(22))] });
  expect(readKept(storage, 'lead', now)).toMatchObject([
    { key: 'old', state: 'refused', refusal: { code: 'not_sent_in_time' } },
    { key: 'new', state: 'lost' },
  ]);
  expect([isLate({ createdAt: hours(24) }, now), isLate({ createdAt: hours(22) }, now)]).toEqual([true, false]);
});

test('a message that was sent, and what cannot be read, is not kept', () => {
  const storage = newStorage();
  keep(storage, 'lead', { had: [], items: [{ ...item('a'), id: 'sent' }] });
  expect(keysOf(storage)).toEqual([]);
  storage.write('outbox.lead', '{');
  expect(keysOf(storage)).toEqual([]);
});
