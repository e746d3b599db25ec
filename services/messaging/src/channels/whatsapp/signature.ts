import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether an `X-Hub-Signature-256` header signs these bytes with one of the secrets. Constant time: the duration does
 * not tell which secret matches or where a signature differs.
 */
export function isSignedBy(secrets: readonly string[], payload: Uint8Array, header: string): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header) ?? [];
  const given = Buffer.from(hex ?? '', 'hex');
  const fits = secrets.map((secret) => {
    const expected = createHmac('sha256', secret).update(payload).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return fits.includes(true);
}

/** Compares two secrets in constant time. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));

const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();
