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
