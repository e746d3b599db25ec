import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A token is `<prefix>_<id>_<secret>`, such as the API key `mk_live_…_…`. The id is 16 characters and their checksum, and
 * not secret; the secret is 43 characters of 62 (just over 256 bits). Letters and digits only, so that a double click
 * selects the whole token.
 *
 * The checksum tells most invented ids from real ones without a read of the database. It stands in the id, because
 * caches and the database know tokens by their id. Older ids have no checksum, and are shorter.
 */
export type NewToken = { readonly id: string; readonly token: string; readonly hash: Uint8Array };

export type TokenForm = {
  /** Makes a token. Only `hash` may be stored. */
  make(): NewToken;
  /** The id in a text that has the format of a token, else undefined. */
  idOf(text: string): string | undefined;
};

const idLength = 16;
const checksumLength = 6;
const secretLength = 43;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The tokens with this prefix, which must not contain characters of regular expressions. */
export function tokenForm(prefix: string): TokenForm {
  const shape = new RegExp(`^${prefix}_([A-Za-z0-9]{8,40})_[A-Za-z0-9]{${secretLength}}$`);
  return {
    make() {
      const characters = randomCharacters(idLength);
      const id = `${characters}${checksumOf(characters)}`;
      const token = `${prefix}_${id}_${randomCharacters(secretLength)}`;
      return { id, token, hash: hashToken(token) };
    },
    idOf(text) {
      const id = shape.exec(text)?.[1];
      if (id?.length !== idLength + checksumLength) return id;
      return checksumOf(id.slice(0, idLength)) === id.slice(idLength) ? id : undefined;
    },
  };
}

/** API keys. */
export const apiKeyForm = tokenForm('mk_live');

/** Login links of people, and what their cookie has. */
export const loginLinkForm = tokenForm('ml');
export const sessionForm = tokenForm('ms');
/** The cookie of a browser in which a person has given their password. */
export const deviceForm = tokenForm('md');
/** The content of the cookie of a browser that went to an OpenID provider. */
export const oidcAttemptForm = tokenForm('mo');

/** The secret in an address: 256 random bits. Only its `hashToken` finds it. */
export const newAddressSecret = (): string => randomBytes(32).toString('base64url');

/** SHA-256 of the whole token. A fast hash is enough, because 256 random bits cannot be guessed. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Whether the token has this hash, compared in constant time. */
export function hasHash(token: string, tokenHash: Uint8Array): boolean {
  return timingSafeEqual(hashToken(token), tokenHash);
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
