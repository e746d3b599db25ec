import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * An API key is `mk_live_<key id>_<secret>`. The id is 16 characters and not secret; the secret is 43 characters of
 * 62 (just over 256 bits). Letters and digits only, so that a double click selects the whole key.
 */
export type NewKey = { readonly id: string; readonly apiKey: string; readonly hash: Uint8Array };

const idLength = 16;
const secretLength = 43;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const shape = /^mk_live_([A-Za-z0-9]{8,40})_[A-Za-z0-9]{43}$/;

/** Makes a key. Only `hash` may be stored. */
export function newKey(): NewKey {
  const id = randomCharacters(idLength);
  const apiKey = `mk_live_${id}_${randomCharacters(secretLength)}`;
  return { id, apiKey, hash: hashKey(apiKey) };
}

/** The id in a text that has the format of a key, else undefined. */
export function keyIdOf(apiKey: string): string | undefined {
  return shape.exec(apiKey)?.[1];
}

/** SHA-256 of the whole key. A fast hash is enough, because nobody can guess 256 random bits. */
export function hashKey(apiKey: string): Uint8Array {
  return hash('sha256', apiKey, 'buffer');
}

/** Whether the key has this hash, compared in constant time. */
export function hasHash(apiKey: string, keyHash: Uint8Array): boolean {
  return timingSafeEqual(hashKey(apiKey), keyHash);
}

/** Uniformly distributed, because it discards bytes above the last multiple of 62. */
function randomCharacters(count: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < count) {
    for (const byte of randomBytes(count)) {
      if (byte < limit && text.length < count) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
