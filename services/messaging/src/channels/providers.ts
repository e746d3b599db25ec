import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database } from '@mostrador/kit/database/database';
import type { Target } from '@mostrador/kit/resilience/provider-circuit';
import type { ChannelProviderName, ChannelRow } from './channel.repository.ts';
import type { ChannelAdapter, ChannelProvider } from './channel-provider.ts';
import { openCredentials } from './credentials.ts';
import { sandbox } from './sandbox/provider.ts';
import { whatsapp } from './whatsapp/provider.ts';

/** All providers. */
export const providers: Readonly<Record<ChannelProviderName, ChannelProvider>> = { whatsapp_cloud: whatsapp, sandbox };

export const providerOf = ({ provider }: { readonly provider: ChannelProviderName }): ChannelProvider =>
  providers[provider];

/** What the circuit guards: the channel, and the origin of its provider. `to` is the customer, once it is known. */
export const targetOf = (
  channel: Pick<ChannelRow, 'id' | 'provider' | 'api_url'>,
  to: string | null = null,
): Target => ({
  provider: channel.provider,
  connectionId: channel.id,
  origin: providerOf(channel).originOf(channel, to),
});

/** How long the channel accepts free text after the customer last wrote, in milliseconds; null: always. */
export const replyWindowMsOf = (channel: Pick<ChannelRow, 'provider' | 'reply_window_minutes'>): number | null =>
  channel.reply_window_minutes === null ? providerOf(channel).replyWindowMs : channel.reply_window_minutes * 60_000;

/** Opens a store's channel. Throws a `ChannelError` when its credentials cannot be decrypted. */
export type OpenStoreChannel = (storeId: string, channel: ChannelRow) => ChannelAdapter;

export const createOpenChannel =
  ({ database, vault, egress }: { database: Database; vault: Vault; egress: EgressOfStores }): OpenStoreChannel =>
  (storeId, channel) =>
    providerOf(channel).open({
      storeId,
      channel,
      credentials: () => openCredentials(vault, storeId, channel),
      database,
      egress: egress.forStore(storeId),
    });
