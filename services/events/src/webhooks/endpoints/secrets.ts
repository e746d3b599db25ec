import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { SealedTexts } from '@mostrador/kit/clients/reseal';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { SigningKeys } from '../sending/signature.ts';

/** The keys of an endpoint, as they are sealed. The first is the current one. */
export type Secrets = {
  readonly keys: readonly (SigningKeys & {
    /** Epoch milliseconds after which it no longer signs; without it, it is the current one. */
    readonly until?: number;
  })[];
};

/** The longest secret of Standard Webhooks has 64 bytes, the shortest 24. */
const secretBytes = 32;

/** New keys. `publicKey` (`whpk_…`) verifies what the private one signs. */
export function makeKeys(asymmetric: boolean): { keys: SigningKeys; publicKey: string | null } {
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
  if (!asymmetric) return { keys: { secret }, publicKey: null };
  const pair = generateKeyPairSync('ed25519');
  // Both documents end in the 32 bytes of the key.
  const last32 = (der: Buffer) => der.subarray(-32).toString('base64');
  return {
    keys: { secret, privateKey: `whsk_${last32(pair.privateKey.export({ format: 'der', type: 'pkcs8' }))}` },
    publicKey: `whpk_${last32(pair.publicKey.export({ format: 'der', type: 'spki' }))}`,
  };
}

/** Puts new keys before the current ones, which stay valid until `until`. Keys that are no longer valid are removed. */
export function rotateKeys({ keys }: Secrets, fresh: SigningKeys, until: Date, now: Date): Secrets {
  const untilMs = until.getTime();
  const kept = keys
    .map((key) => ({ ...key, until: Math.min(key.until ?? untilMs, untilMs) }))
    .filter((key) => key.until > now.getTime());
  return { keys: [fresh, ...kept] };
}

/** The keys that sign at this moment. */
export const currentKeys = ({ keys }: Secrets, now: Date): readonly SigningKeys[] =>
  keys.filter(({ until }) => until === undefined || until > now.getTime());

const aad = (endpointId: string) => `webhook_endpoint:${endpointId}`;

export const sealSecrets = (vault: Vault, endpointId: string, secrets: Secrets): string =>
  vault.seal(secrets, aad(endpointId));

export const openSecrets = (vault: Vault, endpointId: string, sealed: string): Secrets =>
  vault.open<Secrets>(sealed, aad(endpointId));

/** All that is sealed in this service for longer than a day. */
export const sealedEndpoints: readonly SealedTexts[] = [
  {
    table: 'webhook_endpoints',
    column: 'sealed_secrets',
    keyColumn: 'secrets_key_id',
    aad: (_storeId, id) => aad(id),
  },
];
