import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVault } from './secrets.ts';

const newKey = () => randomBytes(32).toString('base64');
const [oldKey, key] = [newKey(), newKey()];
const vault = createVault(`k1:${key}`);
const row = 'store/connection';

describe('the vault', () => {
  test('opens what it sealed, and the sealed text has the documented form', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (secrets, aad) => {
        const sealed = vault.seal(secrets, aad);
        expect(vault.open(sealed, aad)).toEqual(secrets);
        expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
      }),
    );
  });

  test('seals the same secret differently every time', () => {
    expect(vault.seal({ password: 'x' }, row)).not.toBe(vault.seal({ password: 'x' }, row));
  });

  test('does not open a text for another row', () => {
    const sealed = vault.seal({ password: 'x' }, row);
    expect(() => vault.open(sealed, 'other/connection')).toThrow();
  });

  test('does not open a text with any byte changed', () => {
    const [version, id, nonce = '', content = ''] = vault.seal({ password: 'hunter2' }, row).split('.');
    for (const [part, rebuild] of [
      [nonce, (changed: string) => [version, id, changed, content]],
      [content, (changed: string) => [version, id, nonce, changed]],
    ] as const) {
      const bytes = Buffer.from(part, 'base64url');
      for (let i = 0; i < bytes.length; i++) {
        const changed = Buffer.from(bytes);
        changed[i] = (changed[i] ?? 0) ^ 1;
        expect(() => vault.open(rebuild(changed.toString('base64url')).join('.'), row)).toThrow();
      }
    }
  });

  test.each(['', 'x', 'v2.k1.AAAAAAAAAAAAAAAA.AAAA', 'v1.k1.AAAA.AAAA', 'v1.k1.AAAAAAAAAAAAAAAA.AAAA'])(
    '%j is not a sealed text',
    (text) => expect(() => vault.open(text, row)).toThrow('not a sealed text'),
  );

  test('opens texts of the old key after a rotation, and seals with the new key', () => {
    const sealedBefore = createVault(`k0:${oldKey}`).seal({ password: 'x' }, row);
    const rotated = createVault(`k1:${key}, k0:${oldKey}`);
    expect(rotated.open(sealedBefore, row)).toEqual({ password: 'x' });
    expect(rotated.seal({}, row)).toMatch(/^v1\.k1\./);
  });

  test('signs for one purpose, by each of its keys, and accepts no other signature', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.string(), fc.string(), (data, other, purpose, another) => {
        const signature = vault.sign(data, purpose);
        expect(signature).toHaveLength(16);
        expect(vault.isSigned(data, signature, purpose)).toBe(true);
        expect(createVault(`k0:${oldKey},k1:${key}`).isSigned(data, signature, purpose)).toBe(true);
        expect(createVault(`k1:${oldKey}`).isSigned(data, signature, purpose)).toBe(false);
        expect(vault.isSigned(data, signature.subarray(1), purpose)).toBe(false);
        fc.pre(purpose !== another && !Buffer.from(data).equals(other));
        expect(vault.isSigned(data, signature, another)).toBe(false);
        expect(vault.isSigned(other, signature, purpose)).toBe(false);
      }),
    );
  });

  test('names a missing key', () => {
    const sealed = createVault(`k0:${oldKey}`).seal({ password: 'x' }, row);
    expect(() => vault.open(sealed, row)).toThrow('sealed with the key k0');
  });

  test('does not open a text of another key with the same id', () => {
    const sealed = createVault(`k1:${oldKey}`).seal({ password: 'x' }, row);
    expect(() => vault.open(sealed, row)).toThrow();
  });

  test.each(['', 'k1', `k1:${'A'.repeat(20)}`, `k 1:${key}`, `k1:${key},k1:${oldKey}`, `:${key}`])(
    '%j is rejected as keys, and not shown',
    (keys) => {
      expect(() => createVault(keys)).toThrow(/ENCRYPTION_KEYS/);
      expect(() => createVault(keys)).not.toThrow(new RegExp(key.slice(0, 10).replaceAll('+', '\\+')));
    },
  );
});
