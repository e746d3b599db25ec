import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether an `X-Hub-Signature-256` header is that of these bytes under one of the secrets. Takes as long whichever
 * secret fits, and wherever the first difference is.
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

/** Whether two secrets are the same, in the same time wherever they differ. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));

const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();
