import type { TransactionSql } from '@mostrador/kit/database/database';
import { findChannelById } from './channel.repository.ts';
import { markChannelRefused } from './refusal.repository.ts';

/**
 * Sets the channel to `needs_attention` for a fault that the provider posted. Not if the fault is from before the channel
 * was connected, or before it recovered: the provider may post again what it posted days ago.
 */
export async function refuseChannel(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  { at, error }: { readonly at: Date; readonly error: { readonly code: string; readonly detail: string } },
): Promise<void> {
  const channel = await findChannelById(sql, storeId, channelId);
  if (!channel || at < channel.connected_at || (channel.recovered_at && at < channel.recovered_at)) return;
  await markChannelRefused(sql, storeId, channel, error);
}
