import type { ChannelNumberState } from '@mostrador/contracts';

/** A number as a provider tells it. */
export type ProviderNumber = Omit<ChannelNumberState, 'health'>;

type Status = ProviderNumber['status'];
const blocked: ReadonlySet<Status> = new Set(['restricted', 'banned', 'disconnected', 'migrated', 'deleted']);
const warned: ReadonlySet<Status> = new Set(['flagged', 'rate_limited', 'pending', 'unverified']);

/** What the members come to. A name under review or declined counts only by what it does to sending. */
export function healthOf({ status, quality, sending }: ProviderNumber): ChannelNumberState['health'] {
  if (sending === 'blocked' || blocked.has(status)) return 'blocked';
  if (sending === 'limited' || quality === 'red' || warned.has(status)) return 'warned';
  return status === 'unknown' && quality === 'unknown' && sending === 'unknown' ? 'unknown' : 'good';
}
