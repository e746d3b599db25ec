import { minuteMs } from '@mostrador/hours/local-days';

/** Short, because a channel of an ended connection, or one whose answer was lost, tells until it ends. */
export const channelSeconds = 24 * 3600;
/** The next channel is asked for this long before the end of the present one. */
const renewMs = 120 * minuteMs;
/** After a refusal the calendar is only polled for a while. */
const retryMs = 60 * minuteMs;

/** Between two looks at a calendar that tells of changes. Each of our own writes is told, too. */
export const leastPauseMs = 5_000;

type ChannelState = { readonly channel_expires_at: Date | null; readonly channel_tried_at: Date | null };

/** Whether a channel is asked for now. Calendars tell only an address with `https`. */
export function isChannelDue(
  { channel_expires_at: expiresAt, channel_tried_at: triedAt }: ChannelState,
  now: Date,
  publicUrl: string,
): boolean {
  if (!publicUrl.startsWith('https://')) return false;
  if (triedAt && triedAt.getTime() > now.getTime() - retryMs) return false;
  return !expiresAt || expiresAt.getTime() < now.getTime() + renewMs;
}

/** Where Google tells of changes. */
export const changesUrl = (publicUrl: string): string => `${publicUrl}/calendars/google/changes`;
