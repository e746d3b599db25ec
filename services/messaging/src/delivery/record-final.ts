import type { TransactionSql } from '@mostrador/kit/database/database';
import type { ChannelRow } from '../channels/channel.repository.ts';
import type { ChannelError } from '../channels/channel-provider.ts';
import { isSettled, type MessageRow } from '../messages/message.ts';
import { adoptProviderId, applyStatusUpdates } from './apply-status-updates.ts';
import { markUnknown, spendPair } from './attempt.repository.ts';
import type { DeliveryLimits } from './limits.ts';
import { pairRate } from './rates.ts';
import { findProviderMessageId, readMessage } from './status-update.repository.ts';

/** Marks a message as failed: it will not be sent. Returns its id. */
export async function fail(
  sql: TransactionSql,
  storeId: string,
  id: string,
  { code, detail, optOut }: Pick<ChannelError, 'code' | 'detail'> & Partial<Pick<ChannelError, 'optOut'>>,
): Promise<string> {
  const message = await readMessage(sql, storeId, id);
  const error = { code, detail, ...(optOut && { optOut }) };
  await applyStatusUpdates(sql, storeId, message, [{ status: 'failed', at: new Date(), error }]);
  return id;
}

/**
 * Marks a message as `unknown`, unless a status update has already told its outcome. Returns the id when it has.
 * `channel` is the one that the attempt used.
 */
export async function recordUnknown(
  sql: TransactionSql,
  storeId: string,
  message: Pick<MessageRow, 'id' | 'lead_id'>,
  channel: ChannelRow | undefined,
  error: { readonly code: string; readonly detail: string },
  { unsettledAfterMs, leaseMs }: DeliveryLimits,
): Promise<string | undefined> {
  await markUnknown(sql, storeId, message.id, error, unsettledAfterMs);
  if (!channel) return undefined;
  await spendPair(sql, storeId, message.lead_id, pairRate(channel));
  const providerMessageId = await findProviderMessageId(sql, storeId, channel.id, message.id, 2 * leaseMs);
  if (providerMessageId === undefined) return undefined;
  const row = await readMessage(sql, storeId, message.id);
  const known = await adoptProviderId(sql, storeId, row, { channelId: channel.id, providerMessageId });
  return isSettled(known.status) ? message.id : undefined;
}
