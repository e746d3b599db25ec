import { useQuery } from '@tanstack/react-query';
import { Ban, Check, CheckCheck, CircleAlert, CircleHelp, Clock, Eye, type LucideIcon } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import type { Message } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { clockTime, dayWords, fullTime } from '../ui/time.ts';
import { useNow } from '../ui/use-now.ts';
import type { Asked } from './asking.ts';
import { messageQuery } from './inbox-queries.ts';
import { isNamed, MessageContent } from './message-content.tsx';
import { previewOf, wordsOfFailure, wordsOfPrice, wordsOfStatus } from './message-words.ts';
import type { Outgoing } from './outgoing.ts';
import { RichText } from './rich-text.tsx';
import { authorOf, labelOf, SourceIcon } from './source.tsx';
import styles from './thread.module.css';

export function Day({ at }: { at: string }) {
  const zone = useZone();
  const now = useNow();
  return (
    <div className={styles.day}>
      <span>{dayWords(at, now, zone)}</span>
    </div>
  );
}

const icons: Readonly<Record<Message['status'], LucideIcon>> = {
  received: Check,
  queued: Clock,
  sending: Clock,
  unknown: CircleHelp,
  sent: Check,
  delivered: CheckCheck,
  read: Eye,
  failed: CircleAlert,
  cancelled: Ban,
};

type MessageItemProps = {
  readonly message: Message;
  readonly name: string;
  /** Whether the message above has the same author. */
  readonly continues: boolean;
  /** The message that it answers, when it is in the thread. */
  readonly quoted: Message | undefined;
  /** What the AI has asked a person for with it. `isAnswered`: a person has written since. */
  readonly asks: (Asked & { readonly isAnswered: boolean }) | undefined;
  /** Called when the question has just made the message higher. */
  readonly onAsks: () => void;
  readonly onCancel: () => void;
};

export function MessageItem({ message, name, continues, quoted, asks, onAsks, onCancel }: MessageItemProps) {
  const { source, status, body, error, reason, created_at, edited_at, revoked_at, reactions } = message;
  const isEmpty = body.trim() === '';
  const hasContent = message.media || message.content || isNamed(message);
  // The label that the customer tapped stands above its details.
  const isShown = !isEmpty && body === message.content?.title;
  const author = authorOf(message, name);
  const zone = useZone();
  return (
    <Bubble
      source={source}
      status={status}
      author={author}
      continues={continues}
      below={asks && <Asks message={message} asked={asks} onShown={onAsks} />}
    >
      {message.reply_to_id && <Quote of={quoted} />}
      <MessageContent message={message} />
      {(revoked_at || (isEmpty ? !hasContent : !isShown)) && (
        <p className={styles.body} dir="auto" data-empty={isEmpty || undefined}>
          {revoked_at || isEmpty ? previewOf(message) : <RichText text={body} />}
        </p>
      )}
      {message.body_truncated && <RestOfText message={message} />}
      {reactions.length > 0 && <p className={styles.reactions}>{reactions.map(({ emoji }) => emoji).join(' ')}</p>}
      <Foot at={created_at}>
        {edited_at && !revoked_at && <span title={fullTime(edited_at, zone)}>{m.inbox_edited()}</span>}
        {message.template && <span>{m.template_used({ name: message.template.name })}</span>}
        {message.pricing && <span>{wordsOfPrice(message.pricing)}</span>}
        {source === 'ai' && message.author?.id !== null && <Why message={message} />}
        {source !== 'lead' && <Status icon={icons[status]} words={wordsOfStatus(status)} />}
      </Foot>
      {status === 'failed' && error && <p className={styles.trouble}>{wordsOfFailure(error.code, error.detail)}</p>}
      {status === 'unknown' && <p className={styles.trouble}>{m.inbox_unknown_text()}</p>}
      {status === 'queued' && (
        <div className={styles.waits}>
          {reason && <span>{m.inbox_waits_for_channel()}</span>}
          <button type="button" className={styles.small} onClick={onCancel}>
            {m.inbox_cancel_message()}
          </button>
        </div>
      )}
    </Bubble>
  );
}

/** Loaded when it is first opened. */
const Explanation = lazy(() => import('./explained.tsx').then(({ Explained }) => ({ default: Explained })));

/** Opens what the answer of the AI is made from. */
function Why({ message: { lead_id, id } }: { readonly message: Message }) {
  const button = useRef<HTMLButtonElement>(null);
  const [asked, setAsked] = useState<'open' | 'closed'>();
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.why}
        aria-label={m.inbox_why_title()}
        aria-haspopup="dialog"
        aria-expanded={asked === 'open'}
        onClick={() => setAsked('open')}
      >
        {m.inbox_why()}
      </button>
      {asked && (
        <Suspense>
          <Explanation
            leadId={lead_id}
            messageId={id}
            anchor={button}
            open={asked === 'open'}
            onClose={() => setAsked('closed')}
          />
        </Suspense>
      )}
    </>
  );
}

/** Loaded when the AI asks for something. */
const Decision = lazy(() => import('./decision.tsx').then(({ Decision: Card }) => ({ default: Card })));

type AsksProps = {
  readonly message: Message;
  readonly asked: NonNullable<MessageItemProps['asks']>;
  readonly onShown: () => void;
};

/**
 * What the AI asks a person for, and then what was decided. Once a person has written it is asked no more, but a question
 * that is shown stays.
 */
function Asks({ message: { lead_id, id }, asked, onShown }: AsksProps) {
  const [wasAsked] = useState(!asked.isAnswered);
  if (asked.decision === null && asked.isAnswered && !wasAsked) return null;
  return (
    <div className={styles.asks}>
      <Suspense>
        <Decision leadId={lead_id} messageId={id} asked={asked} onShown={onShown} />
      </Suspense>
    </div>
  );
}

const Quote = ({ of: message }: { readonly of: Message | undefined }) => (
  <p className={styles.quote} dir="auto">
    {message ? m.inbox_quotes({ text: previewOf(message) }) : m.inbox_quotes_earlier()}
  </p>
);

/** A list cuts long texts. The message itself has more, unless it was too long to be kept. */
function RestOfText({ message: { lead_id, id, body } }: { message: Message }) {
  const [isAsked, setAsked] = useState(false);
  const { data: whole } = useQuery({ ...messageQuery(lead_id, id), enabled: isAsked });
  if (!whole) {
    return (
      <p className={styles.waits}>
        <span>{m.inbox_cut_text()}</span>
        <button type="button" className={styles.small} onClick={() => setAsked(true)}>
          {m.inbox_show_all()}
        </button>
      </p>
    );
  }
  return (
    <>
      <p className={styles.body} dir="auto">
        {whole.body.slice(body.length)}
      </p>
      {whole.body_truncated && <p className={styles.trouble}>{m.inbox_cut_for_good()}</p>}
    </>
  );
}

type OutgoingItemProps = {
  readonly item: Outgoing;
  readonly onRetry: () => void;
  readonly onEdit: () => void;
};

/** A message of this page that the server has not confirmed yet. */
export function OutgoingItem({ item, onRetry, onEdit }: OutgoingItemProps) {
  const { text, state, refusal, createdAt } = item;
  const words = {
    waiting: m.inbox_out_sending,
    sending: m.inbox_out_sending,
    lost: m.inbox_out_lost,
    refused: m.inbox_status_failed,
  };
  return (
    <Bubble source="seller" status={state === 'refused' ? 'failed' : 'queued'} author={labelOf('seller')}>
      <p className={styles.body} dir="auto">
        {text}
      </p>
      <Foot at={createdAt}>
        <Status icon={state === 'refused' ? CircleAlert : Clock} words={words[state]()} />
      </Foot>
      {refusal && <p className={styles.trouble}>{wordsOfFailure(refusal.code, refusal.reason)}</p>}
      {(state === 'lost' || state === 'refused') && (
        <div className={styles.waits}>
          <button type="button" className={styles.small} onClick={onRetry}>
            {m.inbox_try_now()}
          </button>
          {state === 'refused' && (
            <button type="button" className={styles.small} onClick={onEdit}>
              {m.inbox_edit()}
            </button>
          )}
        </div>
      )}
    </Bubble>
  );
}

type BubbleProps = {
  readonly source: Message['source'];
  readonly status: Message['status'];
  readonly author: string;
  readonly continues?: boolean;
  readonly below?: ReactNode;
  readonly children: ReactNode;
};

const Bubble = ({ source, status, author, continues, below, children }: BubbleProps) => (
  <article
    className={styles.message}
    data-source={source}
    data-status={status}
    data-continues={(continues && source !== 'api') || undefined}
  >
    <header className={styles.author}>
      {source === 'api' ? (
        <Badge kind="api" icon={<SourceIcon source="api" />}>
          {author}
        </Badge>
      ) : (
        <>
          {source !== 'lead' && <SourceIcon source={source} />}
          <span className={styles.authorName} dir="auto">
            {author}
          </span>
        </>
      )}
    </header>
    <div className={styles.bubble}>{children}</div>
    {below}
  </article>
);

function Foot({ at, children }: { at: string; children: ReactNode }) {
  const zone = useZone();
  return (
    <footer className={styles.foot}>
      <time dateTime={at} title={fullTime(at, zone)}>
        {clockTime(at, zone)}
      </time>
      {children}
    </footer>
  );
}

const Status = ({ icon: Icon, words }: { icon: LucideIcon; words: string }) => (
  <span className={styles.status}>
    <Icon size={12} aria-hidden />
    {words}
  </span>
);
