import type { Vault } from '@mostrador/kit/clients/secrets';
import type { ChannelRow } from './channel.repository.ts';
import { ChannelError } from './channel-provider.ts';

/** Sealed credentials are bound to this: they open for no other store and no other channel. */
const boundTo = (storeId: string, channelId: string): string => `channel ${storeId} ${channelId}`;

export const sealCredentials = (vault: Vault, storeId: string, channelId: string, credentials: object): string =>
  vault.seal(credentials, boundTo(storeId, channelId));

/**
 * The channel's credentials, in the form of its provider.
 *
 * @throws ChannelError `not_sent`: the missing encryption key may come back, and no person at the store can help
 */
export function openCredentials(
  vault: Vault,
  storeId: string,
  channel: Pick<ChannelRow, 'id' | 'sealed_credentials'>,
): unknown {
  try {
    return vault.open<unknown>(channel.sealed_credentials ?? '', boundTo(storeId, channel.id));
  } catch (cause) {
    const detail = 'The stored credentials could not be decrypted.';
    throw new ChannelError('not_sent', 'credentials_unreadable', detail, { cause });
  }
}
