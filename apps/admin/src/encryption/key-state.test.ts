import { expect, test } from 'vitest';
import { keyFaults, stillNeeded } from './key-state.ts';

const key = (id: string, fingerprint = id) => ({ id, fingerprint });
const process = (instance: string, ...keys: ReturnType<typeof key>[]) => ({ process: 'messaging', instance, keys });

test.each([
  ['the same keys', [process('a', key('k2'), key('k1')), process('b', key('k2'), key('k1'))], 0],
  [
    'old keys in another order',
    [process('a', key('k3'), key('k2'), key('k1')), process('b', key('k3'), key('k1'), key('k2'))],
    0,
  ],
  ['another first key', [process('a', key('k2'), key('k1')), process('b', key('k1'), key('k2'))], 1],
  ['one without the new key', [process('a', key('k2'), key('k1')), process('b', key('k1'))], 1],
  ['another key under the same id', [process('a', key('k1')), process('b', key('k1', 'other'))], 1],
  ['no process', [], 1],
])('processes with %s', (_name, answers, faults) => {
  expect(keyFaults('messaging', answers)).toHaveLength(faults);
  expect(keyFaults('events', [...answers, { ...process('c', key('own')), process: 'events' }])).toEqual([]);
});

const count = (key_id: string, rows: number, expires_at: string | null = null) => ({
  what: 'x.y',
  key_id,
  rows,
  expires_at,
});
test.each([
  [[count('k2', 5)], 'No other key is needed.'],
  [[count('k2', 5), count('k1', 2)], 'Keep k1: it still seals 2.'],
  [
    [count('k1', 2, '2027-01-31T09:00:00.000Z')],
    'Keep k1 until 2027-01-31T09:00:00.000Z: answers for repeated requests are sealed with it.',
  ],
  [[count('k1', 1), count('k1', 2, '2027-01-31T09:00:00.000Z')], 'Keep k1: it still seals 1.'],
])('%j: %s', (counts, text) => {
  expect(stillNeeded(key('k2'), counts)).toBe(text);
});
