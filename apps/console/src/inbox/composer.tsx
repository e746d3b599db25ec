import { useQuery } from '@tanstack/react-query';
import { Clock, Send } from 'lucide-react';
import {
  type KeyboardEvent,
  lazy,
  type Ref,
  type RefObject,
  Suspense,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Message, MessageTemplate } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { duration, fullTime } from '../ui/time.ts';
import { useNow } from '../ui/use-now.ts';
import styles from './composer.module.css';
import { windowQuery } from './inbox-queries.ts';
import { previewOf } from './message-words.ts';
import type { Outbox } from './outbox.ts';
import type { OwnStorage } from './own-storage.ts';
import { labelOf } from './source.tsx';

/** Needed only while the reply window is closed. */
const TemplateForm = lazy(() => import('./template-form.tsx').then(({ TemplateForm: Form }) => ({ default: Form })));

const maxLength = 4096;
/** The counter appears when so few characters are left. */
const fewLeft = 296;
/** The time that is left is shown when it is shorter. */
const soonMs = 2 * 3_600_000;

export type ComposerHandle = {
  /** Puts a text above what is typed. */
  edit(text: string): void;
};

type ComposerProps = {
  readonly ref: Ref<ComposerHandle>;
  readonly leadId: string;
  readonly name: string;
  /** Whether the AI answers, too. */
  readonly aiAnswers: boolean;
  readonly messages: readonly Message[];
  readonly outbox: Outbox;
  readonly storage: OwnStorage;
};

export function Composer({ ref, leadId, name, aiAnswers, messages, outbox, storage }: ComposerProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(storage, leadId);
  const { data: conversation } = useQuery(windowQuery(leadId));
  const now = useNow();
  const zone = useZone();
  const own = useRef(new Set<string>());
  const arrived = useArrived(messages, text.trim() !== '', own.current);
  useGrowing(input, text);
  useImperativeHandle(ref, () => ({
    edit(refused) {
      setText(text ? `${refused}\n${text}` : refused);
      requestAnimationFrame(() => input.current?.focus());
    },
  }));
  const send = (sent: string, template?: MessageTemplate) => {
    own.current.add(sent);
    outbox.send(leadId, sent, messages, template);
    arrived.clear();
  };
  // The server counts characters too, not the two units of an emoji.
  const left = maxLength - [...text].length;
  const submit = () => {
    const sent = text.trim();
    if (sent === '' || left < 0) return;
    setText('');
    send(sent);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends a word of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const closesAt = conversation?.window_expires_at ? Date.parse(conversation.window_expires_at) : undefined;
  const isClosed = conversation !== undefined && (!conversation.window_open || (closesAt ?? now) < now);
  const hint = `hint-${leadId}`;
  return (
    <section className={styles.composer} aria-label={m.inbox_write()}>
      <div role="status">
        {arrived.last && (
          <p className={styles.arrived}>
            <strong dir="auto">{arrived.last.source === 'lead' ? name : labelOf(arrived.last.source)}</strong>
            <span className={styles.preview} dir="auto">
              {previewOf(arrived.last)}
            </span>
          </p>
        )}
      </div>
      {isClosed ? (
        <Suspense>
          <TemplateForm expiredAt={conversation.window_expires_at} onSend={send} />
        </Suspense>
      ) : (
        <>
          <div className={styles.field}>
            <textarea
              ref={input}
              className={styles.input}
              aria-label={m.inbox_message_to({ name })}
              aria-describedby={hint}
              aria-invalid={left < 0 || undefined}
              placeholder={m.inbox_placeholder()}
              rows={1}
              dir="auto"
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={onKeyDown}
            />
            <Button kind="main" className={styles.send} aria-label={m.inbox_send()} onClick={submit}>
              <Send size={15} aria-hidden />
            </Button>
          </div>
          <p id={hint} className={styles.hint}>
            <span>{m.inbox_keys()}</span>
            {aiAnswers && <span>{m.inbox_writing_pauses()}</span>}
            {closesAt !== undefined && closesAt - now < soonMs && (
              <span className={styles.soon} title={fullTime(new Date(closesAt).toISOString(), zone)}>
                <Clock size={12} aria-hidden />
                {m.inbox_window_left({ time: duration(closesAt - now) })}
              </span>
            )}
            {left <= fewLeft && (
              <span className={styles.count} data-over={left < 0 || undefined} role="status">
                {left < 0 ? m.inbox_too_long({ count: -left }) : m.inbox_left({ count: left })}
              </span>
            )}
          </p>
        </>
      )}
    </section>
  );
}

/** What is typed, kept for each lead over reloads. */
function useDraft(storage: OwnStorage, leadId: string) {
  const name = `draft.${leadId}`;
  const [text, setText] = useState(() => storage.read(name) ?? '');
  const change = (next: string) => {
    setText(next);
    storage.write(name, next === '' ? null : next);
  };
  return [text, change] as const;
}

/** What came while the person writes: they may want to read it before they send. */
function useArrived(messages: readonly Message[], writes: boolean, own: ReadonlySet<string>) {
  const newest = messages[0]?.id;
  const [since, setSince] = useState<string | undefined>();
  useEffect(() => {
    setSince(writes ? (before) => before ?? newest : undefined);
  }, [writes, newest]);
  const index = since === undefined ? -1 : messages.findIndex(({ id }) => id === since);
  const others = messages
    .slice(0, Math.max(0, index))
    .filter(({ source, body }) => source !== 'seller' || !own.has(body));
  return { last: others[0], clear: () => setSince(undefined) };
}

/** The field is as high as its text, up to the limit of the style. */
function useGrowing(input: RefObject<HTMLTextAreaElement | null>, text: string): void {
  const measured = useRef<string>(undefined);
  useLayoutEffect(() => {
    const field = input.current;
    if (!field || measured.current === text) return;
    measured.current = text;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
  });
}
