import type { Vault } from '@mostrador/kit/clients/secrets';
import type { ChannelRow } from '../channel.repository.ts';
import { ChannelError } from '../channel-provider.ts';

/** What is secret about a WhatsApp channel. */
export type Credentials = {
  readonly access_token: string;
  readonly app_secret: string;
  readonly verify_token: string;
  /** The app secret before this one, which what is on its way may still be signed with. */
  readonly previous_app_secret?: { readonly secret: string; readonly valid_until_ms: number };
};

const overlapMs = 24 * 3_600_000;

/** What sealed credentials are bound to: they open for no other store or channel. */
const boundTo = (storeId: string, channelId: string): string => `channel ${storeId} ${channelId}`;

export const sealCredentials = (vault: Vault, storeId: string, channelId: string, credentials: Credentials): string =>
  vault.seal(credentials, boundTo(storeId, channelId));

/**
 * The channel's credentials. Throws a `ChannelError`, `not_sent`: the key that is missing from the configuration may come
 * back, and no person at the store can help.
 */
export function openCredentials(
  vault: Vault,
  storeId: string,
  channel: Pick<ChannelRow, 'id' | 'sealed_credentials'>,
): Credentials {
  try {
    return vault.open<Credentials>(channel.sealed_credentials ?? '', boundTo(storeId, channel.id));
  } catch (cause) {
    throw new ChannelError('not_sent', 'credentials_unreadable', 'The stored credentials could not be decrypted.', {
      cause,
    });
  }
}

/** The new credentials; an app secret that they replace stays good for signatures for a day, or until the next time. */
export function replaceCredentials(
  wanted: Omit<Credentials, 'previous_app_secret'>,
  old: Credentials | undefined,
  nowMs: number,
): Credentials {
  if (!old || old.app_secret === wanted.app_secret) return wanted;
  return { ...wanted, previous_app_secret: { secret: old.app_secret, valid_until_ms: nowMs + overlapMs } };
}

/** The secrets that a webhook may be signed with at this moment, the newest first. */
export function appSecretsOf({ app_secret, previous_app_secret: previous }: Credentials, nowMs: number): string[] {
  return previous && nowMs < previous.valid_until_ms ? [app_secret, previous.secret] : [app_secret];
}
