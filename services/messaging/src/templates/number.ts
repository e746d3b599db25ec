import type { ChannelNumber, ChannelNumberState } from '@mostrador/contracts';
import type { PublicEvent } from '@mostrador/kit/outbox/outbox';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { healthOf, type ProviderNumber } from '../channels/provider-number.ts';
import type { SyncState } from './sync.repository.ts';

export const toNumberState = (number: ProviderNumber): ChannelNumberState => ({ health: healthOf(number), ...number });

export const toNumber = ({ number_state: state, number_checked_at: at }: SyncState): ChannelNumber | null =>
  state && at && { ...state, checked_at: toTimestamp(at) };

/** The event of a change. None for what the provider says first, and when it was not asked. */
export function numberChanged(
  storeId: string,
  before: ChannelNumberState | null,
  now: ChannelNumberState | null,
): PublicEvent[] {
  if (!before || !now) return [];
  const names = Object.keys(before) as (keyof ChannelNumberState)[];
  if (names.every((name) => before[name] === now[name])) return [];
  const data = { ...now, previous: before };
  return [{ kind: 'feed', type: 'channel.number_changed', entityId: storeId, etag: null, data, object: undefined }];
}
