import type { StoreChannel } from '@mostrador/contracts';
import { findOutage } from '@mostrador/kit/resilience/provider-circuit.repository';
import { toConnectionHealth, toConnectionReason } from '@mostrador/kit/resilience/wait-reason';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { findLiveChannel, refusalOf } from '../channels/channel.repository.ts';
import { openPageToken } from '../channels/credentials.ts';
import { providerOf, targetOf } from '../channels/providers.ts';
import { countWaiting } from '../delivery/delivery.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { countFailed } from '../inbound/inbound.repository.ts';
import { countServiceMessages } from '../prices/free-messages.repository.ts';
import { toNumber } from '../templates/number.ts';
import { findSyncState } from '../templates/sync.repository.ts';

type Used = Pick<Dependencies, 'database' | 'vault' | 'publicUrl' | 'telephone' | 'rateCard'>;

/** The store's channel without its credentials, with the last error of its connection. */
export async function readChannel({ database, vault, publicUrl, telephone, rateCard }: Used, context: StoreContext) {
  const { storeId } = context;
  const limit = rateCard?.freeServiceMessages;
  const [channel, waiting, failed, templates, outage, free] = await database.read(context, async (sql) => {
    const [channel, ...counts] = await Promise.all([
      findLiveChannel(sql, storeId),
      countWaiting(sql, storeId),
      countFailed(sql, storeId),
      findSyncState(sql, storeId),
    ]);
    if (!channel) return [channel, ...counts, undefined, undefined] as const;
    const [outage, used] = await Promise.all([
      findOutage(sql, targetOf(channel).origin),
      limit === undefined ? undefined : countServiceMessages(sql, storeId, { channelId: channel.id, most: limit }),
    ]);
    return [channel, ...counts, outage, used] as const;
  });
  const counts = { messages_queued: waiting.queued, messages_unknown: waiting.unknown, webhooks_failed: failed };
  if (!channel) return { ...notConnected, ...counts };
  const { page, webhook } = providerOf(channel);
  const token = openPageToken(vault, storeId, channel);
  return {
    channel_id: channel.id,
    provider: channel.provider,
    ...toConnectionHealth(channel.status, outage),
    ...refusalOf(channel),
    phone: channel.phone,
    phone_number_id: channel.phone_number_id,
    business_account_id: channel.business_account_id,
    templates_synced_at: templates?.synced_at ? toTimestamp(templates.synced_at) : null,
    templates_error: templates?.error_code
      ? { code: templates.error_code, detail: templates.error_detail ?? '' }
      : null,
    number: templates ? toNumber(templates) : null,
    free_service_messages: free && limit !== undefined ? { ...free, limit } : null,
    webhook_url: webhook?.urlOf(publicUrl, channel.id) ?? null,
    sandbox_url: (telephone.writesAs !== 'off' && token && page?.urlOf(publicUrl, token)) || null,
    reply_window_minutes: channel.reply_window_minutes,
    next_check_at: channel.next_check_at && toTimestamp(channel.next_check_at),
    connected_at: toTimestamp(channel.connected_at),
    ...counts,
  };
}

/** The channel as the people of the store see it. */
export async function readStoreChannel(dependencies: Used, context: StoreContext): Promise<StoreChannel> {
  const channel = await readChannel(dependencies, context);
  const { channel_id: _, next_check_at: __, last_error, refused_at, status, reason, ...shown } = channel;
  return { ...shown, status, reason: toConnectionReason({ status, reason }, { last_error, refused_at }) };
}

const notConnected = {
  channel_id: null,
  provider: null,
  status: 'not_connected' as const,
  reason: null,
  refused_at: null,
  phone: null,
  phone_number_id: null,
  business_account_id: null,
  templates_synced_at: null,
  templates_error: null,
  number: null,
  free_service_messages: null,
  webhook_url: null,
  sandbox_url: null,
  reply_window_minutes: null,
  last_error: null,
  next_check_at: null,
  connected_at: null,
};
