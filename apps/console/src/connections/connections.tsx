import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { aiQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AiSection } from './ai-section.tsx';
import { CalendarSection } from './calendar-section.tsx';
import { ChannelSection } from './channel-section.tsx';
import styles from './connections.module.css';
import { calendarQuery, channelQuery } from './queries.ts';

export const route = createLazyRoute('/shell/integrations/connections')({ component: Connections });

function Connections() {
  const { data: session } = useQuery(sessionQuery);
  const channel = useQuery(channelQuery);
  const calendar = useQuery(calendarQuery);
  const ai = useQuery(aiQuery);
  const mayChange = session?.role === 'owner';
  return (
    <Page title={m.connections()} about={m.connections_about()}>
      {channel.data ? (
        <ChannelSection channel={channel.data} mayChange={mayChange} />
      ) : channel.error ? (
        <LoadFailed error={channel.error} retry={channel.refetch} />
      ) : (
        <Loading />
      )}
      {calendar.data ? (
        <CalendarSection calendar={calendar.data} mayChange={mayChange} />
      ) : calendar.error ? (
        <LoadFailed error={calendar.error} retry={calendar.refetch} />
      ) : (
        <Loading />
      )}
      {ai.data ? (
        <AiSection ai={ai.data} mayChange={mayChange} />
      ) : ai.error ? (
        <LoadFailed error={ai.error} retry={ai.refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

const Loading = () => (
  <div className={styles.card} aria-busy="true">
    <Skeleton width="long" />
    <Skeleton width="full" />
  </div>
);
