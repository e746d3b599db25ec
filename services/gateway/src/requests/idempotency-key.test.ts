import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readIdempotencyKey } from './idempotency-key.ts';

test('the bare and the quoted form are the same key', () => {
  expect(readIdempotencyKey('order-42')).toEqual({ key: 'order-42' });
  expect(readIdempotencyKey('"order-42"')).toEqual({ key: 'order-42' });
});

test('escapes of the quoted form are decoded', () => {
  expect(readIdempotencyKey(String.raw`"a\"b\\c"`)).toEqual({ key: String.raw`a"b\c` });
});

test('255 characters are a key, 256 are not, in both forms', () => {
  expect(readIdempotencyKey('k'.repeat(255))).toEqual({ key: 'k'.repeat(255) });
  expect(readIdempotencyKey(`"${'k'.repeat(255)}"`)).toEqual({ key: 'k'.repeat(255) });
  expect(readIdempotencyKey('k'.repeat(256))).toHaveProperty('fault');
  expect(readIdempotencyKey(`"${'k'.repeat(256)}"`)).toHaveProperty('fault');
});

test.each(['', '""', '"', '"a', '"a"b"', String.raw`"a\n"`, '"k";a=1', 'tab\tin it', 'caf\u00e9', 'null\0'])(
  '%j is rejected',
  (header) => {
    expect(readIdempotencyKey(header)).toHaveProperty('fault');
  },
);

test('every printable key can be sent quoted', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\x20-\x7e]{1,255}$/), (key) => {
      const header = `"${key.replaceAll(/(["\\])/g, String.raw`\$1`)}"`;
      expect(readIdempotencyKey(header)).toEqual({ key });
    }),
  );
});
