import { AppError } from '@mostrador/kit/errors';
import type { SystemScope } from '@mostrador/kit/postgres';
import { type ChannelRow, findChannelById } from '../channels/channel.repository.ts';
import { type Credentials, openCredentials } from '../channels/credentials.ts';
import type { Dependencies } from '../dependencies.ts';
import { findChannelStore } from './inbound.repository.ts';

/**
 * The live WhatsApp channel behind a webhook's address, and what is secret about it.
 *
 * @throws AppError `webhook_refused` when there is none
 */
export async function findWebhookChannel(
  { database, systemDatabase, vault }: Pick<Dependencies, 'database' | 'systemDatabase' | 'vault'>,
  { deadline }: SystemScope,
  channelId: string,
): Promise<{ storeId: string; channel: ChannelRow; credentials: Credentials }> {
  const storeId = await systemDatabase.read({ deadline }, (sql) => findChannelStore(sql, channelId));
  const channel =
    storeId === undefined
      ? undefined
      : await database.read({ storeId, deadline }, (sql) => findChannelById(sql, storeId, channelId));
  if (storeId === undefined || channel?.sealed_credentials == null || channel.provider !== 'whatsapp_cloud') {
    throw new AppError('webhook_refused', { detail: 'No channel has this address.' });
  }
  return { storeId, channel, credentials: openCredentials(vault, storeId, channel) };
}
