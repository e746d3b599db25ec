import type { SealedTexts } from '@mostrador/kit/clients/reseal';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { EmbedderRow } from '../embedder/embedder.repository.ts';
import type { ConnectionRow } from './model-connection.repository.ts';

export type Credentials = { readonly api_key: string };

/** The context of the encryption. A key cannot be decrypted for another store or connection. */
const boundTo = (storeId: string, connectionId: string): string => `model ${storeId} ${connectionId}`;

export const sealCredentials = (vault: Vault, storeId: string, connectionId: string, credentials: Credentials) =>
  vault.seal(credentials, boundTo(storeId, connectionId));

/** Decrypts the key of a connection. Undefined: it has none. Throws as `Vault.open` does. */
export const openCredentials = (
  vault: Vault,
  storeId: string,
  { id, sealed_credentials }: Pick<ConnectionRow, 'id' | 'sealed_credentials'>,
): Credentials | undefined =>
  sealed_credentials === null ? undefined : vault.open<Credentials>(sealed_credentials, boundTo(storeId, id));

const boundToEmbedder = (storeId: string, embedderId: string): string => `embedder ${storeId} ${embedderId}`;

export const sealEmbedderCredentials = (vault: Vault, storeId: string, embedderId: string, credentials: Credentials) =>
  vault.seal(credentials, boundToEmbedder(storeId, embedderId));

/** As `openCredentials`, for an embedder. */
export const openEmbedderCredentials = (
  vault: Vault,
  storeId: string,
  { id, sealed_credentials }: Pick<EmbedderRow, 'id' | 'sealed_credentials'>,
): Credentials | undefined =>
  sealed_credentials === null ? undefined : vault.open<Credentials>(sealed_credentials, boundToEmbedder(storeId, id));

/** All that is sealed in this service. */
export const sealedConnections: readonly SealedTexts[] = [
  { table: 'provider_connections', column: 'sealed_credentials', keyColumn: 'credentials_key_id', aad: boundTo },
  { table: 'embedders', column: 'sealed_credentials', keyColumn: 'credentials_key_id', aad: boundToEmbedder },
];
