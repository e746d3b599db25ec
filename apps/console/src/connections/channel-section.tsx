import { useQuery } from '@tanstack/react-query';
import { MessageCircle, Smartphone } from 'lucide-react';
import type { MouseEvent } from 'react';
import { dataOf, platform, type Store, type StoreChannel } from '../api/platform.ts';
import { keep, queries, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { buttonLook } from '../ui/button.tsx';
import { CopyText, Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { moneyText, numberText } from '../ui/numbers.ts';
import { say } from '../ui/toasts.tsx';
import { ConnectChannel } from './connect-channel.tsx';
import { ConnectionCard } from './connection-card.tsx';
import styles from './connections.module.css';
import { wordsOfHealth, wordsOfLimit, wordsOfName, wordsOfQuality } from './number-words.ts';
import { channelQuery } from './queries.ts';

/** How customers write to the store. */
export function ChannelSection({ channel, mayChange }: { channel: StoreChannel; mayChange: boolean }) {
  const { provider, phone, connected_at, sandbox_url, webhook_url } = channel;
  const { data: store } = useQuery(storeQuery);
  const budget = store?.message_budget;
  const free = channel.free_service_messages;
  const number = channel.number ?? undefined;
  const trouble = number && wordsOfHealth(number);
  const [name, quality, limit] = number ? [wordsOfName(number), wordsOfQuality(number), wordsOfLimit(number)] : [];
  const { messages_queued, messages_unknown, webhooks_failed } = channel;
  const disconnect = async () => {
    await dataOf(platform.DELETE('/channel'));
    await queries.invalidateQueries(channelQuery);
    say(m.connections_channel_was_disconnected());
  };
  const rotate = async () => {
    await keep(channelQuery, await dataOf(platform.PUT('/channel', { body: { provider: 'sandbox', rotate: true } })));
    say(m.connections_was_rotated());
  };
  return (
    <ConnectionCard
      icon={MessageCircle}
      title={m.connections_channel()}
      about={provider === null ? m.connections_channel_none() : m.connections_channel_about()}
      connection={channel}
      mayChange={mayChange}
      connect={(asked) => <ConnectChannel channel={channel} {...asked} />}
      disconnect={{
        title: m.connections_channel_disconnect_title(),
        about: m.connections_channel_disconnect_text(),
        act: disconnect,
      }}
      rotate={sandbox_url === null ? undefined : rotate}
      actions={sandbox_url && <Telephone url={sandbox_url} />}
    >
      {trouble && (
        <p className={styles.reason} data-kind={number.health === 'blocked' ? 'bad' : 'warn'}>
          {trouble}
        </p>
      )}
      {provider && (
        <Facts
          facts={[
            [m.connections_kind(), provider === 'sandbox' ? m.connections_sandbox() : m.connections_whatsapp()],
            phone !== null && [m.connections_phone(), `+${phone}`],
            name !== undefined && [m.connections_name(), name],
            quality !== undefined && [m.connections_quality(), quality],
            limit !== undefined && [m.connections_limit(), limit],
            webhook_url !== null && [
              m.connections_webhook(),
              <span key="webhook" className={styles.value}>
                <CopyText text={webhook_url} action={m.connections_webhook_copy()} />
                <span className={styles.soft}>{m.connections_webhook_hint()}</span>
              </span>,
            ],
            budget != null && [m.connections_budget(), wordsOfBudget(budget)],
            free != null && [
              m.connections_free(),
              m.connections_free_used({ used: numberText(free.used), limit: numberText(free.limit) }),
            ],
            messages_queued > 0 && [m.connections_queued(), messages_queued],
            messages_unknown > 0 && [m.connections_unknown(), messages_unknown],
            webhooks_failed > 0 && [m.connections_posts_failed(), webhooks_failed],
            connected_at !== null && [m.connections_connected(), <Moment key="at" at={connected_at} relative />],
          ]}
        />
      )}
    </ConnectionCard>
  );
}

/** What the messages of the month take of what they may cost. */
function wordsOfBudget({ amount, spent, currency }: NonNullable<Store['message_budget']>): string {
  return m.connections_budget_spent({ spent: moneyText(spent, currency), amount: moneyText(amount, currency) });
}

/** Opens the customer's telephone in a small window beside this one. */
function Telephone({ url }: { url: string }) {
  const beside = (event: MouseEvent) => {
    event.preventDefault();
    window.open(url, '_blank', `popup,noopener,width=420,height=780,left=${screen.availWidth - 440},top=40`);
  };
  return (
    <a href={url} target="_blank" rel="noreferrer" {...buttonLook('main')} onClick={beside}>
      <Smartphone size={14} aria-hidden />
      {m.connections_telephone()}
    </a>
  );
}
