import { maxInboundBodyBytes } from '@mostrador/contracts';

/** The text of a customer as it is kept: whole up to 64 KiB of UTF-8, else its beginning. It never splits a character. */
export function toInboundBody(text: string): { body: string; body_truncated: boolean } {
  // UTF-8 has at least one byte for each UTF-16 code unit, and at most three.
  if (text.length * 3 <= maxInboundBodyBytes) return { body: text, body_truncated: false };
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxInboundBodyBytes) return { body: text, body_truncated: false };
  let end = maxInboundBodyBytes;
  while (isContinuation(bytes[end])) end -= 1;
  return { body: bytes.toString('utf8', 0, end), body_truncated: true };
}

const isContinuation = (byte = 0): boolean => (byte & 0b1100_0000) === 0b1000_0000;
