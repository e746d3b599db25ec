import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database } from '@mostrador/kit/database/database';
import type { ChannelRow } from './channel.repository.ts';
import type { ChannelProvider } from './channel-provider.ts';
import { openCredentials } from './whatsapp/credentials.ts';
import { createSandboxProvider } from './sandbox/adapter.ts';
import { createWhatsappProvider, defaultApiUrl } from './whatsapp/adapter.ts';

/** Opens the adapter of a store's channel. Throws a `ChannelError` when its credentials cannot be read. */
export type OpenProvider = (storeId: string, channel: ChannelRow) => ChannelProvider;

export const createOpenProvider =
  ({ database, vault }: { database: Database; vault: Vault }): OpenProvider =>
  (storeId, channel) =>
    channel.provider === 'sandbox'
      ? createSandboxProvider(database, storeId, channel.id)
      : createWhatsappProvider({
          apiUrl: channel.api_url ?? defaultApiUrl,
          phoneNumberId: channel.phone_number_id ?? '',
          accessToken: openCredentials(vault, storeId, channel).access_token,
        });
