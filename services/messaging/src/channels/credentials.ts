import type { SealedTexts } from '@mostrador/kit/clients/reseal';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { ChannelRow } from './channel.repository.ts';
import { ChannelError } from './channel-provider.ts';

/** The context that sealed credentials are bound to. They cannot be opened for another store or channel. */
const boundTo = (storeId: string, channelId: string): string => `channel ${storeId} ${channelId}`;

export const sealCredentials = (vault: Vault, storeId: string, channelId: string, credentials: object): string =>
  vault.seal(credentials, boundTo(storeId, channelId));

/**
 * Decrypts the channel's credentials. Their shape depends on the provider.
 *
 * @throws ChannelError `not_sent`, which is retried, because the missing encryption key may be restored
 */
export function openCredentials(
  vault: Vault,
  storeId: string,
  channel: Pick<ChannelRow, 'id' | 'sealed_credentials'>,
): unknown {
  try {
    return vault.open<unknown>(channel.sealed_credentials ?? '', boundTo(storeId, channel.id));
  } catch (cause) {
    const detail = 'The credentials cannot be decrypted. Restore the encryption key, or connect the channel again.';
    throw new ChannelError('not_sent', 'credentials_unreadable', detail, { cause });
  }
}

export const sealPageToken = (vault: Vault, storeId: string, channelId: string, token: string): string =>
  sealCredentials(vault, storeId, channelId, { token });

/** The token of the channel's page; undefined without one, or when it cannot be decrypted: a new one replaces it. */
export function openPageToken(
  vault: Vault,
  storeId: string,
  { id, sealed_page_token }: Pick<ChannelRow, 'id' | 'sealed_page_token'>,
): string | undefined {
  if (sealed_page_token === null) return undefined;
  try {
    return (openCredentials(vault, storeId, { id, sealed_credentials: sealed_page_token }) as { token: string }).token;
  } catch {
    return undefined;
  }
}

/** All that is sealed in this service. */
export const sealedChannels: readonly SealedTexts[] = [
  { table: 'channels', column: 'sealed_credentials', keyColumn: 'credentials_key_id', aad: boundTo },
  { table: 'channels', column: 'sealed_page_token', keyColumn: 'page_token_key_id', aad: boundTo },
];
