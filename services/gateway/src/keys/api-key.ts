import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key is `mk_live_<key id>_<secret>`. The id is 16 characters and their checksum, and not secret; the secret is
 * 43 characters of 62 (just over 256 bits). Letters and digits only, so that a double click selects the whole key.
 *
 * The checksum tells most invented ids from real ones without a read of the database. It stands in the id, because the
 * cache and the database know keys by their id. Older ids have no checksum, and are shorter.
 */
export type NewKey = { readonly id: string; readonly apiKey: string; readonly hash: Uint8Array };

const idLength = 16;
const checksumLength = 6;
const secretLength = 43;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const shape = /^mk_live_([A-Za-z0-9]{8,40})_[A-Za-z0-9]{43}$/;

/** Makes a key. Only `hash` may be stored. */
export function newKey(): NewKey {
  const characters = randomCharacters(idLength);
  const id = `${characters}${checksumOf(characters)}`;
  const apiKey = `mk_live_${id}_${randomCharacters(secretLength)}`;
  return { id, apiKey, hash: hashKey(apiKey) };
}

/** The id in a text that has the format of a key, else undefined. */
export function keyIdOf(apiKey: string): string | undefined {
  const id = shape.exec(apiKey)?.[1];
  if (id?.length !== idLength + checksumLength) return id;
  return checksumOf(id.slice(0, idLength)) === id.slice(idLength) ? id : undefined;
}

/** SHA-256 of the whole key. A fast hash is enough, because 256 random bits cannot be guessed. */
export function hashKey(apiKey: string): Uint8Array {
  return hash('sha256', apiKey, 'buffer');
}

/** Whether the key has this hash, compared in constant time. */
export function hasHash(apiKey: string, keyHash: Uint8Array): boolean {
  return timingSafeEqual(hashKey(apiKey), keyHash);
}

/** CRC-32 in base 62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  while (checksum.length < checksumLength) {
    checksum += alphabet[rest % alphabet.length];
    rest = Math.floor(rest / alphabet.length);
  }
  return checksum;
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
