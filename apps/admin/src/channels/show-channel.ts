import { type ReplyOf, showChannel } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { reasonOf, record, shown } from '../terminal.ts';

export const showChannelCommand = (admin: Admin): Command =>
  verb('show', "Show a store's channel and how many messages wait for it; credentials are never shown", [
    'channel show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const channel = await callForStore(admin, showChannel, {}, options.store);
      printResult(admin, options, channel, () =>
        record({
          channel: channel.channel_id,
          provider: channel.provider,
          status: channel.status,
          ...reasonOf(channel),
          phone: channel.phone,
          'phone number id': channel.phone_number_id,
          'business account id': channel.business_account_id ?? null,
          'templates read': channel.templates_synced_at ?? null,
          'templates error': channel.templates_error
            ? shown(`${channel.templates_error.code}: ${channel.templates_error.detail}`)
            : null,
          number: numberOf(channel),
          'number checked': channel.number?.checked_at ?? null,
          history: historyOf(channel),
          'free service messages': freeOf(channel),
          webhook: channel.webhook_url,
          'telephone address': channel.sandbox_url,
          'reply window in minutes': channel.reply_window_minutes,
          'last error': channel.last_error === null ? null : shown(channel.last_error),
          'next check': channel.next_check_at ?? null,
          connected: channel.connected_at,
          'messages queued': channel.messages_queued,
          'messages with unknown outcome': channel.messages_unknown,
          'failed webhooks': channel.webhooks_failed,
        }),
      );
    });

function freeOf({ free_service_messages: free }: ReplyOf<typeof showChannel>): string | null {
  return free ? `${free.used} of ${free.limit} used in ${free.month}` : null;
}

function numberOf({ number }: ReplyOf<typeof showChannel>): string | null {
  if (!number) return null;
  const { health, status, quality, sending, messaging_limit, name_status } = number;
  const limit = messaging_limit === null ? [] : [`limit ${shown(messaging_limit)}`];
  return [health, `status ${status}`, `quality ${quality}`, `sending ${sending}`, ...limit, `name ${name_status}`].join(
    ', ',
  );
}

function historyOf({ history }: ReplyOf<typeof showChannel>): string | null {
  if (!history) return null;
  return history.declined_code === null ? `${history.progress_percent ?? 0} %` : `declined (${history.declined_code})`;
}
