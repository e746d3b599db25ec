import { CalendarDays } from 'lucide-react';
import { dataOf, platform, type StoreCalendar } from '../api/platform.ts';
import { keep, queries, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { CopyText, Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { say } from '../ui/toasts.tsx';
import { providerWords } from './calendar-providers.ts';
import { ConnectCalendar } from './connect-calendar.tsx';
import { ConnectionCard } from './connection-card.tsx';
import styles from './connections.module.css';
import { calendarQuery } from './queries.ts';

/** Where the appointments of the store appear. */
export function CalendarSection({ calendar, mayChange }: { calendar: StoreCalendar; mayChange: boolean }) {
  const { provider, url, username, calendar_id, feed_url, connected_at, show_customer } = calendar;
  const { appointments_pending, appointments_failing, appointments_needing_attention } = calendar;
  const disconnect = async () => {
    await dataOf(platform.DELETE('/calendar'));
    await Promise.all([queries.invalidateQueries(calendarQuery), queries.invalidateQueries(storeQuery)]);
    say(m.connections_calendar_was_disconnected());
  };
  const rotate = async () => {
    await keep(calendarQuery, await dataOf(platform.PUT('/calendar', { body: { provider: 'feed', rotate: true } })));
    say(m.connections_was_rotated());
  };
  return (
    <ConnectionCard
      icon={CalendarDays}
      title={m.connections_calendar()}
      about={provider === null ? m.connections_calendar_none() : m.connections_calendar_about()}
      connection={calendar}
      failing={appointments_failing}
      mayChange={mayChange}
      connect={(asked) => <ConnectCalendar calendar={calendar} {...asked} />}
      disconnect={{
        title: m.connections_calendar_disconnect_title(),
        about: m.connections_calendar_disconnect_text(),
        act: disconnect,
      }}
      rotate={feed_url === null ? undefined : rotate}
    >
      {provider && (
        <Facts
          facts={[
            [m.connections_kind(), providerWords[provider]()],
            url !== null && [m.connections_url_label(), url],
            username !== null && [m.connections_username(), username],
            calendar_id !== null && [m.connections_calendar_id(), calendar_id],
            feed_url !== null && [
              m.connections_feed(),
              <span key="feed" className={styles.value}>
                <CopyText text={feed_url} action={m.connections_feed_copy()} />
                <span className={styles.soft}>{m.connections_feed_shown_hint()}</span>
              </span>,
            ],
            [m.connections_shows(), show_customer ? m.connections_shows_customer() : m.connections_shows_title()],
            appointments_pending > 0 && [m.connections_pending(), appointments_pending],
            appointments_needing_attention > 0 && [m.connections_attention(), appointments_needing_attention],
            connected_at !== null && [m.connections_connected(), <Moment key="at" at={connected_at} relative />],
          ]}
        />
      )}
    </ConnectionCard>
  );
}
