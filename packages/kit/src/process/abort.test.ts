import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unlessAborted } from './abort.ts';

test('work that ends leaves no listener at a signal that lives on', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(signal, Promise.resolve('done'), () => 'stopped')).toBe('done');
  const failing = unlessAborted(signal, Promise.reject(new Error('no')), () => 'stopped');
  await expect(failing).rejects.toThrow('no');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an aborted signal ends the wait, now or later', async () => {
  const never = new Promise<string>(() => {});
  const stopping = new AbortController();
  const waiting = unlessAborted(stopping.signal, never, () => 'stopped');
  stopping.abort();
  expect(await waiting).toBe('stopped');
  expect(await unlessAborted(stopping.signal, never, () => 'stopped')).toBe('stopped');
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

test('the other result may be an error, and then a late failure of the work is no unhandled one', async () => {
  const work = Promise.withResolvers<string>();
  const leave = () => {
    throw new Error('too late');
  };
  await expect(unlessAborted(AbortSignal.abort(), work.promise, leave)).rejects.toThrow('too late');
  work.reject(new Error('no'));
});
