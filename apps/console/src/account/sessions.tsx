import { useMutation, useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { dataOf, type OpenSession, platform } from '../api/platform.ts';
import { queries, sessionsQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { relativeTime } from '../ui/time.ts';
import { say, sayFailure } from '../ui/toasts.tsx';
import { wordsOfAgent } from './agent-words.ts';
import styles from './sessions.module.css';

export const route = createLazyRoute('/shell/account/sessions')({ component: Sessions });

function Sessions() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  return (
    <Page title={m.sessions()} about={m.sessions_about()}>
      {sessions ? (
        <ul className={styles.list}>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      ) : error ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <ul className={styles.list} aria-busy="true">
          <li className={styles.session}>
            <Skeleton width="long" />
          </li>
        </ul>
      )}
    </Page>
  );
}

function SessionRow({ session: { id, current, created_at, last_seen_at, address, agent } }: { session: OpenSession }) {
  const end = useMutation({
    mutationFn: () => dataOf(platform.DELETE('/sessions/{sessionId}', { params: { path: { sessionId: id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries(sessionsQuery);
      say(m.session_was_ended());
    },
    onError: sayFailure,
  });
  const browser = wordsOfAgent(agent);
  const now = Date.now();
  return (
    <li className={styles.session}>
      <div className={styles.what}>
        <p className={styles.browser}>
          {browser}
          {current && <Badge kind="good">{m.session_current()}</Badge>}
        </p>
        <p className={styles.more}>
          {m.session_since({ when: relativeTime(created_at, now) })} ·{' '}
          {m.session_last_seen({ when: relativeTime(last_seen_at, now) })} · {address}
        </p>
      </div>
      {!current && (
        <Button busy={end.isPending} aria-label={m.session_end_of({ browser })} onClick={() => end.mutate()}>
          {m.session_end()}
        </Button>
      )}
    </li>
  );
}
