import { expect, test } from 'vitest';
import { createPasswordHashing } from './password-hashing.ts';

const refused = { code: 'service_unavailable', retryAfterSeconds: 1 };

test('a password that has waited for 5 s is refused, and the next ones are checked', async () => {
  let nowMs = 0;
  const { hash, matches } = createPasswordHashing({ now: () => nowMs });
  const [first, second, late] = [hash('one'), hash('two'), hash('three')];
  const refusal = expect(late).rejects.toMatchObject(refused);
  nowMs = 5_001;
  await Promise.all([first, second, refusal]);
  expect(await matches('one', await first)).toBe(true);
});

test('34 passwords are checked or wait, and a further one is refused before anything is done', async () => {
  const { hash, assertRoom } = createPasswordHashing({ now: () => 0 });
  const hashes = Array.from({ length: 33 }, () => hash('one'));
  expect(() => assertRoom()).not.toThrow();
  hashes.push(hash('one'));
  expect(() => assertRoom()).toThrow(expect.objectContaining(refused));
  await expect(hash('one')).rejects.toMatchObject(refused);
  expect(await Promise.all(hashes)).toHaveLength(34);
  expect(() => assertRoom()).not.toThrow();
});

test('when all places are taken by one account, another one has room', async () => {
  const { matches, assertRoom } = createPasswordHashing({ now: () => 0 });
  const flood = Promise.allSettled(Array.from({ length: 34 }, () => matches('x', null, 'ana')));
  expect(() => assertRoom('ana')).toThrow(expect.objectContaining(refused));
  expect(() => assertRoom('rui')).not.toThrow();
  expect(await matches('x', null, 'rui')).toBe(false);
  expect((await flood).filter(({ status }) => status === 'rejected')).toHaveLength(1);
});
