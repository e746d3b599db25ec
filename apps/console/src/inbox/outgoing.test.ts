import { expect, test } from 'vitest';
import { notShown, type Outgoing } from './outgoing.ts';

const sent = (key: string, more: Partial<Outgoing> = {}): Outgoing => ({
  key,
  text: 'Oi',
  createdAt: '2026-11-23T12:00:00.000Z',
  state: 'sending',
  before: [],
  ...more,
});
const message = (id: string, body = 'Oi', source: 'seller' | 'api' = 'seller') => ({ id, body, source });
const keys = (outgoing: readonly Outgoing[]) => outgoing.map(({ key }) => key);

test('a message is shown once, also when the list has it before its answer comes', () => {
  expect(keys(notShown([sent('a')], [message('m')]))).toEqual([]);
  expect(keys(notShown([sent('a', { id: 'm' })], [message('m')]))).toEqual([]);
  expect(keys(notShown([sent('a', { id: 'n' })], [message('m')]))).toEqual(['a']);
});

test('two messages with the same text are two', () => {
  expect(keys(notShown([sent('a'), sent('b')], [message('m')]))).toEqual(['b']);
  expect(keys(notShown([sent('a', { id: 'm' }), sent('b')], [message('m')]))).toEqual(['b']);
  expect(keys(notShown([sent('a', { before: ['m'] })], [message('m')]))).toEqual(['a']);
});

test('a message of the API with the same text is another message', () => {
  expect(keys(notShown([sent('a')], [message('m', 'Oi', 'api')]))).toEqual(['a']);
});

test('a refused message stays until the person decides', () => {
  expect(keys(notShown([sent('a', { state: 'refused' })], [message('m')]))).toEqual(['a']);
});
