import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { dataOf, type Lead, type Message, platform } from '../api/platform.ts';
import { aiQuery, answersByAi, queries, sessionQuery } from '../api/queries.ts';
import { leadQuery } from '../leads/queries.ts';
import { m } from '../paraglide/messages.js';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { sayFailure } from '../ui/toasts.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import { useInList, useMessages } from './inbox-queries.ts';
import { MessageList } from './message-list.tsx';
import { createOutbox, type Outbox } from './outbox.ts';
import { notShown } from './outgoing.ts';
import { type OwnStorage, ownStorage } from './own-storage.ts';
import styles from './thread.module.css';
import { ThreadHead } from './thread-head.tsx';

export const route = createLazyRoute('/shell/inbox/$leadId')({ component: Thread });

/** One for each person who signs in while the page is open. */
const outboxes = new Map<string, { outbox: Outbox; storage: OwnStorage }>();
function ownOf(personId: string) {
  const known = outboxes.get(personId);
  if (known) return known;
  const storage = ownStorage(personId);
  const own = {
    outbox: createOutbox(storage, () => queries.getQueryData(sessionQuery.queryKey)?.user.id === personId),
    storage,
  };
  outboxes.set(personId, own);
  return own;
}

function Thread() {
  const { leadId } = route.useParams();
  const { data: read, error, refetch } = useQuery(leadQuery(leadId));
  const lead = read?.data;
  const { data: session } = useQuery(sessionQuery);
  useEffect(() => {
    if (lead) document.title = `${lead.name} · Mostrador`;
  }, [lead]);
  if (lead && session) return <Shown key={leadId} lead={lead} own={ownOf(session.user.id)} />;
  if (error) return <LoadFailed error={error} retry={refetch} />;
  return <Loading />;
}

const Loading = () => (
  <div className={styles.thread} aria-busy="true">
    <div className={styles.head}>
      <Skeleton width="long" />
    </div>
  </div>
);

type ShownProps = { readonly lead: Lead; readonly own: ReturnType<typeof ownOf> };

function Shown({ lead, own: { outbox, storage } }: ShownProps) {
  const { items: messages, error, refetch, hasMore, readMore, moreFailed } = useMessages(lead.id);
  const answers = answersByAi(useQuery(aiQuery).data);
  const sent = useSyncExternalStore(outbox.subscribe, () => outbox.itemsOf(lead.id));
  const composer = useRef<ComposerHandle>(null);
  const [atBottom, setAtBottom] = useState(true);
  useMarkRead(lead.id, messages, atBottom);
  useEffect(() => outbox.resume(lead.id), [outbox, lead.id]);
  const cancel = useCallback(
    async ({ id: messageId }: Message) => {
      try {
        await dataOf(
          platform.DELETE('/leads/{leadId}/messages/{messageId}', { params: { path: { leadId: lead.id, messageId } } }),
        );
      } catch (failure) {
        sayFailure(failure);
      }
      void queries.invalidateQueries({ queryKey: ['messages', lead.id] });
    },
    [lead.id],
  );
  return (
    <div className={styles.thread}>
      <ThreadHead lead={lead} />
      {messages ? (
        <>
          <MessageList
            name={lead.name}
            messages={messages}
            outgoing={notShown(sent, messages)}
            hasOlder={hasMore}
            onOlder={() => void readMore()}
            olderFailed={moreFailed !== undefined}
            onBottom={setAtBottom}
            onCancel={(message) => void cancel(message)}
            onRetry={({ key }) => outbox.retry(lead.id, key)}
            onEdit={({ key, text }) => {
              outbox.remove(lead.id, key);
              composer.current?.edit(text);
            }}
          />
          <Composer
            ref={composer}
            leadId={lead.id}
            name={lead.name}
            aiAnswers={answers && lead.ai_paused_until === null}
            messages={messages}
            outbox={outbox}
            storage={storage}
          />
        </>
      ) : error ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <div className={styles.list} aria-busy="true" role="status" aria-label={m.inbox_loading()} />
      )}
    </div>
  );
}

/** Says that everything is read when the newest message is in view, on a page that is in front. */
function useMarkRead(leadId: string, messages: readonly Message[] | undefined, atBottom: boolean): void {
  const isInFront = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible');
  const unread = useInList(leadId)?.unread_count;
  const newest = messages?.find(({ source }) => source === 'lead')?.id;
  const marked = useRef<string>(undefined);
  useEffect(() => {
    if (!newest || !atBottom || !isInFront || unread === 0 || marked.current === newest) return;
    marked.current = newest;
    dataOf(platform.PUT('/leads/{leadId}/read', { params: { path: { leadId } }, body: { message_id: newest } }))
      .then(() => queries.invalidateQueries({ queryKey: ['conversations'] }))
      // It is not worth a word, and the next look tries it again.
      .catch(() => {
        marked.current = undefined;
      });
  }, [leadId, newest, atBottom, isInFront, unread]);
}

function subscribeToVisibility(listener: () => void) {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
