import type { SystemScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type ChannelRow, findChannelById } from '../channels/channel.repository.ts';
import type { ChannelWebhook } from '../channels/channel-provider.ts';
import { openCredentials } from '../channels/credentials.ts';
import { providerOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { findChannelStore } from './inbound.repository.ts';

/** Finds the store of a channel. */
export type StoreOf = (scope: SystemScope, channelId: string) => Promise<string | undefined>;

export const lookUpStore =
  ({ systemDatabase }: Pick<Dependencies, 'systemDatabase'>): StoreOf =>
  (scope, channelId) =>
    systemDatabase.read(scope, (sql) => findChannelStore(sql, channelId));

/** Caches the store of each channel, which never changes. The caller still checks that the channel is live. */
export function rememberStores(lookUp: StoreOf): StoreOf {
  const stores = new Map<string, string>();
  return async (scope, channelId) => {
    const storeId = stores.get(channelId) ?? (await lookUp(scope, channelId));
    if (storeId !== undefined) stores.set(channelId, storeId);
    return storeId;
  };
}

/**
 * The live channel of a webhook's address, with its credentials.
 *
 * @throws AppError `webhook_refused` when there is none
 */
export async function findWebhookChannel(
  { database, vault, storeOf }: Pick<Dependencies, 'database' | 'vault'> & { readonly storeOf: StoreOf },
  { deadline }: SystemScope,
  channelId: string,
): Promise<{ storeId: string; channel: ChannelRow; webhook: ChannelWebhook; credentials: unknown }> {
  const storeId = await storeOf({ deadline }, channelId);
  const channel =
    storeId === undefined
      ? undefined
      : await database.read({ storeId, deadline }, (sql) => findChannelById(sql, storeId, channelId));
  const webhook = channel && providerOf(channel).webhook;
  if (storeId === undefined || channel?.sealed_credentials == null || !webhook) {
    throw new AppError('webhook_refused', { detail: 'No channel has this address.' });
  }
  return { storeId, channel, webhook, credentials: openCredentials(vault, storeId, channel) };
}
