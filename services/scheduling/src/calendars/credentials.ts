import type { SealedTexts } from '@mostrador/kit/clients/reseal';
import type { Vault } from '@mostrador/kit/clients/secrets';
import { CalendarError, type Credentials } from './calendar-provider.ts';
import type { ConnectionRow } from './connection.repository.ts';

/** The context of the encryption. Credentials cannot be decrypted for another store or connection. */
const boundTo = (storeId: string, connectionId: string): string => `calendar ${storeId} ${connectionId}`;

export const sealCredentials = (vault: Vault, storeId: string, connectionId: string, credentials: Credentials) =>
  vault.seal(credentials, boundTo(storeId, connectionId));

/**
 * Decrypts the credentials of the connection.
 * @throws CalendarError `unavailable`, because only the operator of the platform can restore a missing key.
 */
export function openCredentials(vault: Vault, storeId: string, connection: ConnectionRow): Credentials {
  try {
    return vault.open<Credentials>(connection.sealed_credentials ?? '', boundTo(storeId, connection.id));
  } catch (cause) {
    throw new CalendarError('unavailable', 'credentials_unreadable', 'The stored credentials could not be decrypted.', {
      cause,
    });
  }
}

/** The token of a feed outlives its connection, so it is bound to the store only. */
const feedOf = (storeId: string): string => `calendar feed ${storeId}`;

export const sealFeedToken = (vault: Vault, storeId: string, token: string) => vault.seal({ token }, feedOf(storeId));

/** The token of the store's feed; undefined when it cannot be decrypted, because a new one replaces it. */
export function openFeedToken(vault: Vault, storeId: string, sealed: string | null): string | undefined {
  if (sealed === null) return undefined;
  try {
    return vault.open<{ token: string }>(sealed, feedOf(storeId)).token;
  } catch {
    return undefined;
  }
}

/** All that is sealed in this service. */
export const sealedCalendars: readonly SealedTexts[] = [
  { table: 'calendar_connections', column: 'sealed_credentials', keyColumn: 'credentials_key_id', aad: boundTo },
  { table: 'calendar_connections', column: 'sealed_feed_token', keyColumn: 'feed_token_key_id', aad: feedOf },
];
