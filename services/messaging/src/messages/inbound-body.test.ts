import { maxInboundBodyBytes } from '@mostrador/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toInboundBody } from './inbound-body.ts';

test.each(['a', 'é', '漢', '👋'])('%s: 64 KiB of UTF-8 are kept whole, and one character more is cut', (character) => {
  const fitting = character.repeat(Math.floor(maxInboundBodyBytes / Buffer.byteLength(character)));
  expect(toInboundBody(fitting)).toEqual({ body: fitting, body_truncated: false });
  expect(toInboundBody(fitting + character)).toEqual({ body: fitting, body_truncated: true });
});

test('a cut text is the longest beginning that fits, and no character of it is split', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 50 }), { maxLength: 5 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 8 }), (texts, less) => {
      const text = `${'x'.repeat(maxInboundBodyBytes - less)}${texts.join('')}`;
      const { body, body_truncated } = toInboundBody(text);
      expect(text.startsWith(body)).toBe(true);
      expect(body.isWellFormed()).toBe(true);
      expect(body_truncated).toBe(body !== text);
      const [next = ''] = text.slice(body.length);
      if (body_truncated) expect(Buffer.byteLength(body + next)).toBeGreaterThan(maxInboundBodyBytes - 4);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(maxInboundBodyBytes);
    }),
  );
});
