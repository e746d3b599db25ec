import type { StoreChannel } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';

type ChannelNumber = NonNullable<StoreChannel['number']>;

/** What the store has to do about its number. Undefined: nothing. */
export function wordsOfHealth({ health, status, quality }: ChannelNumber): string | undefined {
  if (health === 'blocked') return m.connections_number_blocked();
  if (health !== 'warned') return undefined;
  const isComplainedOf = quality === 'red' || status === 'flagged' || status === 'rate_limited';
  return isComplainedOf ? m.connections_number_complaints() : m.connections_number_limited();
}

const qualities: Record<ChannelNumber['quality'], (() => string) | undefined> = {
  green: m.connections_quality_green,
  yellow: m.connections_quality_yellow,
  red: m.connections_quality_red,
  unknown: undefined,
};
export const wordsOfQuality = ({ quality }: ChannelNumber): string | undefined => qualities[quality]?.();

/** `TIER_1K` is 1,000 customers. A word of later is shown as it is. */
export function wordsOfLimit({ messaging_limit: limit }: ChannelNumber): string | undefined {
  if (limit === null) return undefined;
  if (limit === 'TIER_UNLIMITED') return m.connections_limit_none();
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(limit) ?? [];
  return digits === undefined
    ? limit
    : (Number(digits) * (thousands ? 1000 : 1)).toLocaleString(getLocale(), { useGrouping: true });
}

/** The name that customers see, and what its review says while it is not approved. */
export function wordsOfName({ name, name_status: status }: ChannelNumber): string | undefined {
  if (name === null) return undefined;
  if (status === 'pending_review') return m.connections_name_in_review({ name });
  return status === 'declined' || status === 'expired' ? m.connections_name_refused({ name }) : name;
}
