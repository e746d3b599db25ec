import { useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import type { Message } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { isSameDay } from '../ui/time.ts';
import { hasAiWritten, isAnswered } from './asking.ts';
import { decisionsQuery } from './inbox-queries.ts';
import { Day, MessageItem, OutgoingItem } from './message-item.tsx';
import type { Outgoing } from './outgoing.ts';
import { authorOf } from './source.tsx';
import styles from './thread.module.css';

/** Far from zero, because each older message takes one from it. */
const middle = 1_000_000;

type MessageListProps = {
  readonly name: string;
  /** Newest first, as the API lists them. */
  readonly messages: readonly Message[];
  readonly outgoing: readonly Outgoing[];
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
  readonly olderFailed: boolean;
  readonly onBottom: (isAtBottom: boolean) => void;
  readonly onCancel: (message: Message) => void;
  readonly onRetry: (item: Outgoing) => void;
  readonly onEdit: (item: Outgoing) => void;
};

type Row = { readonly key: string; readonly at: string } & (
  | { readonly message: Message }
  | { readonly outgoing: Outgoing }
);

/** The thread, the newest at the bottom. Older messages come above it, and what is in view stays where it is. */
export function MessageList(props: MessageListProps) {
  const { name, messages, outgoing, hasOlder, onOlder, olderFailed, onBottom, onCancel, onRetry, onEdit } = props;
  const zone = useZone();
  const list = useRef<VirtuosoHandle>(null);
  const [atBottom, setAtBottom] = useState(true);
  const rows: Row[] = [
    ...messages.toReversed().map((message) => ({ key: message.id, at: message.created_at, message })),
    ...outgoing.map((item) => ({ key: item.key, at: item.createdAt, outgoing: item })),
  ];
  const toEnd = () => list.current?.scrollToIndex({ index: 'LAST', align: 'end' });
  const { data: decisions } = useQuery({
    ...decisionsQuery(messages[0]?.lead_id ?? ''),
    enabled: hasAiWritten(messages),
  });
  const asksWith = ({ id }: Message) => {
    const asked = decisions?.data.find(({ message_id }) => message_id === id);
    return asked && { ...asked, isAnswered: isAnswered(messages, id) };
  };
  const quotedBy = ({ reply_to_id }: Message) =>
    reply_to_id ? messages.find(({ id }) => id === reply_to_id) : undefined;
  // What was the oldest message at first keeps its index.
  const anchor = useRef(messages.at(-1)?.id);
  const found = rows.findIndex(({ key }) => key === anchor.current);
  if (found === -1) anchor.current = messages.at(-1)?.id;
  const older = Math.max(0, found);
  const firstIndex = middle - older;
  // What has begun a page keeps its author's line, because a line that goes would move the thread.
  const beginnings = useRef(new Set<string>());
  const [oldest] = rows;
  if (oldest && hasOlder) beginnings.current.add(oldest.key);
  // A person wants to see what they have just sent, wherever they have scrolled to.
  const newest = outgoing.at(-1)?.key;
  useEffect(() => {
    if (newest) list.current?.scrollToIndex({ index: 'LAST', align: 'end' });
  }, [newest]);
  return (
    <div className={styles.list}>
      <Virtuoso
        ref={list}
        className={styles.scroller}
        aria-label={m.inbox_messages()}
        role="region"
        data={rows}
        firstItemIndex={firstIndex}
        initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
        alignToBottom
        followOutput={(isAtBottom) => (isAtBottom ? 'auto' : false)}
        atBottomThreshold={48}
        atBottomStateChange={(isAtBottom) => {
          setAtBottom(isAtBottom);
          onBottom(isAtBottom);
        }}
        startReached={onOlder}
        components={olderFailed ? withRetry : {}}
        context={{ retry: onOlder }}
        increaseViewportBy={{ top: 600, bottom: 200 }}
        computeItemKey={(_, { key }) => key}
        itemContent={(index, row) => {
          const previous = rows[index - firstIndex - 1];
          // Above the oldest row that was read the day is not known yet, and a line that goes would move the thread.
          const beginsDay = previous ? !isSameDay(previous.at, row.at, zone) : !hasOlder;
          return (
            <div className={styles.row}>
              {beginsDay && <Day at={row.at} />}
              {'message' in row ? (
                <MessageItem
                  message={row.message}
                  name={name}
                  quoted={quotedBy(row.message)}
                  continues={!beginnings.current.has(row.key) && isContinued(previous, row, zone)}
                  asks={asksWith(row.message)}
                  onAsks={() => atBottom && toEnd()}
                  onCancel={() => onCancel(row.message)}
                />
              ) : (
                <OutgoingItem
                  item={row.outgoing}
                  onRetry={() => onRetry(row.outgoing)}
                  onEdit={() => onEdit(row.outgoing)}
                />
              )}
            </div>
          );
        }}
      />
      {!atBottom && (
        <Button className={styles.toBottom} aria-label={m.inbox_to_newest()} onClick={toEnd}>
          <ArrowDown size={16} aria-hidden />
        </Button>
      )}
    </div>
  );
}

const withRetry = {
  Header: ({ context: { retry } }: { context: { readonly retry: () => void } }) => (
    <div className={styles.older}>
      <Button onClick={retry}>{m.try_again()}</Button>
    </div>
  ),
};

/** Within so long, messages of one author need the author's name once. */
const pauseMs = 10 * 60_000;

const isContinued = (previous: Row | undefined, row: Row, zone: string): boolean =>
  previous !== undefined &&
  'message' in previous &&
  'message' in row &&
  authorOf(previous.message, '') === authorOf(row.message, '') &&
  previous.message.source === row.message.source &&
  isSameDay(previous.at, row.at, zone) &&
  Date.parse(row.at) - Date.parse(previous.at) < pauseMs;
