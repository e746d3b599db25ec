import type { ChannelRow } from '../channels/channel.repository.ts';
import type { Notification } from '../channels/channel-provider.ts';
import { providerOf } from '../channels/providers.ts';

const nothing: Notification = { messages: [], statuses: [], unreadable: 0 };

/** Reads a payload that arrived at `at` with its channel's provider. Throws `SyntaxError` when it is not JSON. */
export function readPayload(
  channel: Pick<ChannelRow, 'provider' | 'phone_number_id'>,
  payload: Buffer,
  at: Date,
): Notification {
  const { webhook, page } = providerOf(channel);
  const source = webhook ?? page;
  return source ? source.readNotification(JSON.parse(payload.toString('utf8')), channel, at) : nothing;
}
