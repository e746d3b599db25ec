import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyMark } from '@mostrador/contracts/core';
import type { Database, Sql, SystemDatabase } from '../database/database.ts';
import { type Check, NotReady, untilPassed } from '../process/health.ts';

/** Encrypts data that is stored but never shown, such as the credentials of a calendar. */
export type Vault = {
  /** Encrypts a JSON object. `aad` names the row that it belongs to; it cannot be opened for another row. */
  seal(plain: object, aad: string): string;
  /** Decrypts a sealed text. Throws when its key is not configured, the text was changed, or the row is another. */
  open<T>(sealed: string, aad: string): T;
  /** A code of 16 bytes that only a holder of the keys can make for these bytes. One purpose's code says nothing of another's. */
  sign(data: Uint8Array, purpose: string): Buffer;
  /** Whether one of the keys signed these bytes for this purpose. */
  isSigned(data: Uint8Array, signature: Uint8Array, purpose: string): boolean;
  /** Its keys, without the keys. The first one seals. */
  readonly keys: readonly [KeyMark, ...KeyMark[]];
};

const nonceBytes = 12;
const tagBytes = 16;
const signatureBytes = 16;
const form = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]+)$/;

/**
 * A vault with the keys `id:base64-of-32-bytes[,id2:…]` (AES-256-GCM). The first key seals, all keys open. To rotate,
 * put a new key in front and keep the old one until everything has been sealed again.
 * A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`. No error shows a key or a plain text.
 */
export function createVault(encryptionKeys: string): Vault {
  const keys = parseKeys(encryptionKeys);
  const [first] = keys;
  if (first === undefined) throw new Error('ENCRYPTION_KEYS holds no key');
  const [sealingId, sealingKey] = first;
  const [, ...others] = keys;

  return {
    keys: [markOf(first), ...others.map(markOf)],
    seal(plain, aad) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      cipher.setAAD(boundTo(sealingId, aad));
      const parts = [cipher.update(JSON.stringify(plain), 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `v1.${sealingId}.${nonce.toString('base64url')}.${Buffer.concat(parts).toString('base64url')}`;
    },
    open<T>(sealed: string, aad: string): T {
      const [, id, nonce, content] = form.exec(sealed) ?? [];
      if (id === undefined || nonce === undefined || content === undefined) throw new Error('not a sealed text');
      const key = keys.get(id);
      if (key === undefined) throw new Error(`sealed with the key ${id}, which ENCRYPTION_KEYS does not hold`);
      const bytes = Buffer.from(content, 'base64url');
      if (bytes.length < tagBytes) throw new Error('not a sealed text');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'));
      decipher.setAAD(boundTo(id, aad));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const parts = [decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()];
      return JSON.parse(Buffer.concat(parts).toString('utf8')) as T;
    },
    sign: (data, purpose) => signatureOf(sealingKey, data, purpose),
    isSigned: (data, signature, purpose) =>
      signature.length === signatureBytes &&
      [...keys.values()].some((key) => timingSafeEqual(signatureOf(key, data, purpose), signature)),
  };
}

const readLimitMs = 5_000;

/**
 * Throws unless the vault opens what is stored: one row for each key that sealed one.
 *
 * @param stored `find` returns the id of each such key with one of its stores; `read` returns that store's row; `open`
 * throws when the vault cannot open it
 */
export function vaultCheck<Row>(stored: {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly find: (sql: Sql) => PromiseLike<readonly { readonly key_id: string; readonly store_id: string }[]>;
  readonly read: (sql: Sql, storeId: string) => PromiseLike<Row>;
  readonly open: (storeId: string, row: Row) => void;
}): Check {
  const { database, systemDatabase, find, read, open } = stored;
  return untilPassed(async () => {
    const deadline = Date.now() + readLimitMs;
    for (const { key_id, store_id: storeId } of await systemDatabase.read({ deadline }, find)) {
      const row = await database.read({ storeId, deadline }, (sql) => read(sql, storeId));
      try {
        open(storeId, row);
      } catch (cause) {
        throw new NotReady(`ENCRYPTION_KEYS cannot open what the key ${key_id} sealed: restore that key.`, { cause });
      }
    }
  });
}

/** Encrypting and signing use keys of their own. */
function signatureOf(key: Buffer, data: Uint8Array, purpose: string): Buffer {
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', `signing: ${purpose}`, 32));
  return createHmac('sha256', signingKey).update(data).digest().subarray(0, signatureBytes);
}

/** Tells two keys with one id apart, and says nothing else about them. */
const markOf = ([id, key]: readonly [string, Buffer]): KeyMark => ({
  id,
  fingerprint: createHmac('sha256', key).update('fingerprint of an encryption key').digest('hex').slice(0, 12),
});

const boundTo = (keyId: string, aad: string): Buffer => Buffer.from(`v1.${keyId}.${aad}`, 'utf8');

function parseKeys(encryptionKeys: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const entry of encryptionKeys.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, id, text] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? [];
    const key = text === undefined ? undefined : Buffer.from(text, 'base64');
    if (id === undefined || key?.length !== 32) {
      throw new Error('ENCRYPTION_KEYS must be id:key[,id2:key2], each key 32 bytes in base64');
    }
    if (keys.has(id)) throw new Error(`ENCRYPTION_KEYS names the key ${id} twice`);
    keys.set(id, key);
  }
  return keys;
}
