import type { ChannelRow } from '../channels/channel.repository.ts';
import type { Notification } from '../channels/channel-provider.ts';
import { providerOf } from '../channels/providers.ts';

const nothing: Notification = { messages: [], statuses: [], unreadable: 0 };

/** Reads a posted payload with its channel's provider. Throws `SyntaxError` when it is not JSON. */
export function readPayload(channel: Pick<ChannelRow, 'provider' | 'phone_number_id'>, payload: Buffer): Notification {
  const { webhook } = providerOf(channel);
  return webhook ? webhook.readNotification(JSON.parse(payload.toString('utf8')), channel) : nothing;
}
