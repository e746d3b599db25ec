import { expect, test } from 'vitest';
import { apiKeyForm, hasHash, hashToken } from './token.ts';

const { make, idOf } = apiKeyForm;

test('a key is mk_live_<id>_<secret> with letters and digits only and 256 bits of secret', () => {
  const key = make();
  expect(key.token).toMatch(/^mk_live_[A-Za-z0-9]{22}_[A-Za-z0-9]{43}$/);
  expect(idOf(key.token)).toBe(key.id);
  expect(Math.log2(62) * 43).toBeGreaterThan(256);
});

test('two keys share neither id nor secret', () => {
  const keys = Array.from({ length: 500 }, make);
  expect(new Set(keys.map((key) => key.id)).size).toBe(500);
  expect(new Set(keys.map((key) => key.token.slice(-43))).size).toBe(500);
});

test('an id with a wrong checksum is not that of a key, and an older id without a checksum is', () => {
  const secret = 'a'.repeat(43);
  const { id } = make();
  for (const [at, character] of [...id].entries()) {
    const wrong = `${id.slice(0, at)}${character === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
    expect(idOf(`mk_live_${wrong}_${secret}`)).toBeUndefined();
  }
  for (const older of ['abcdefgh', id.slice(0, 16), 'a'.repeat(40)]) {
    expect(idOf(`mk_live_${older}_${secret}`)).toBe(older);
  }
});

test('every character of the alphabet occurs in secrets', () => {
  const seen = new Set(Array.from({ length: 200 }, () => make().token.slice(-43)).join(''));
  expect(seen.size).toBe(62);
});

test('the stored hash is the SHA-256 of the whole key, and only that key matches it', () => {
  const key = make();
  expect(key.hash).toHaveLength(32);
  expect(hasHash(key.token, key.hash)).toBe(true);
  expect(hasHash(`${key.token.slice(0, -1)}${key.token.endsWith('A') ? 'B' : 'A'}`, key.hash)).toBe(false);
  expect(hasHash(make().token, hashToken(key.token))).toBe(false);
});

test.each([
  ['', 'empty'],
  ['mk_live_', 'nothing after the prefix'],
  [`mk_test_abcdefgh_${'a'.repeat(43)}`, 'another prefix'],
  [`mk_live_abc_${'a'.repeat(43)}`, 'too short an id'],
  [`mk_live_abcdefgh_${'a'.repeat(42)}`, 'too short a secret'],
  [`mk_live_abcdefgh_${'a'.repeat(44)}`, 'too long a secret'],
  [`mk_live_abcdefgh_${'a'.repeat(42)}-`, 'another character'],
  [` mk_live_abcdefgh_${'a'.repeat(43)}`, 'a leading space'],
  [`mk_live_abcdefgh_${'a'.repeat(43)}\n`, 'a trailing line end'],
])('%j is not a key (%s)', (text) => {
  expect(idOf(text)).toBeUndefined();
});
