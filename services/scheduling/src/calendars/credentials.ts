import type { Vault } from '@mostrador/kit/clients/secrets';
import { CalendarError, type Credentials } from './calendar-provider.ts';
import type { ConnectionRow } from './connection.repository.ts';

/** What sealed credentials are bound to: they open for no other store or connection. */
const boundTo = (storeId: string, connectionId: string): string => `calendar ${storeId} ${connectionId}`;

export const sealCredentials = (vault: Vault, storeId: string, connectionId: string, credentials: Credentials) =>
  vault.seal(credentials, boundTo(storeId, connectionId));

/**
 * The connection's credentials. Throws a `CalendarError`: `unavailable`, for the key that is missing from the
 * configuration may come back, and no person at the store can help.
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
