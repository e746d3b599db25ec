import { useMutation, useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { useId, useLayoutEffect, useRef } from 'react';
import { wordsOfUse } from '../agents/tools.ts';
import { Failure, wordsOf } from '../api/failure.ts';
import { dataOf, type Explanation, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { appointmentQuery, refresh } from '../calendar/appointment-queries.ts';
import { isLeadStatus, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { fullTime } from '../ui/time.ts';
import { askedEffects, waitsForPerson } from './asking.ts';
import styles from './decision.module.css';
import { explanationQuery } from './inbox-queries.ts';

type Call = Explanation['tools'][number];
type DecisionProps = {
  readonly leadId: string;
  readonly messageId: string;
  readonly explanation: Explanation;
  readonly onShown?: () => void;
};

/** What the AI asks a person for, with the buttons that decide it, and then what came of it. */
export function Decision({ leadId, messageId, explanation, onShown }: DecisionProps) {
  const shown = useRef(onShown);
  useLayoutEffect(() => shown.current?.(), []);
  const heading = useId();
  const card = useRef<HTMLElement>(null);
  const decide = useMutation({
    mutationFn: (decision: 'confirm' | 'decline') =>
      dataOf(
        platform.POST('/leads/{leadId}/messages/{messageId}/decision', {
          params: { path: { leadId, messageId } },
          body: { decision },
        }),
      ),
    // Another person may have decided meanwhile.
    onSettled: () => readAgain(leadId, messageId),
    // The button that had the focus is gone.
    onSuccess: () => card.current?.focus(),
  });
  const waits = waitsForPerson(explanation);
  const title = waits ? m.inbox_asks() : m.inbox_asked();
  return (
    <section ref={card} className={styles.card} aria-labelledby={heading} tabIndex={-1}>
      <h3 id={heading} className={styles.title}>
        <Bot size={14} aria-hidden />
        {title}
      </h3>
      <ul className={styles.list} aria-live="polite">
        {askedEffects(explanation.tools).map((call, place) => (
          <li key={place}>
            <span>{wordsOfUse(call.tool)}</span> {!call.awaits_confirmation && <Came call={call} />}
            <About call={call} />
          </li>
        ))}
      </ul>
      {waits && decide.error && <Bad>{wordsOfRefusal(decide.error, decide.variables)}</Bad>}
      {waits && (
        <div className={styles.actions}>
          <Button
            kind="main"
            busy={decide.isPending}
            aria-describedby={heading}
            onClick={() => decide.mutate('confirm')}
          >
            {m.inbox_confirm()}
          </Button>
          <Button busy={decide.isPending} aria-describedby={heading} onClick={() => decide.mutate('decline')}>
            {m.inbox_decline()}
          </Button>
        </div>
      )}
    </section>
  );
}

const readAgain = (leadId: string, messageId: string) =>
  Promise.all([
    queries.invalidateQueries(explanationQuery(leadId, messageId)),
    queries.invalidateQueries({ queryKey: ['messages', leadId] }),
    queries.invalidateQueries({ queryKey: ['conversations'] }),
    refresh(),
  ]);

/** What the server refused although it still waits. */
function wordsOfRefusal(error: unknown, decision: 'confirm' | 'decline' | undefined): string {
  if (!(error instanceof Failure) || error.code !== 'nothing_to_confirm') return wordsOf(error);
  return decision === 'decline' ? m.inbox_decline_too_late() : m.inbox_confirm_too_late();
}

/** What came of an effect. */
function Came({ call: { output } }: { readonly call: Call }) {
  if (output.error === undefined) return <Badge kind="good">{m.inbox_asked_done()}</Badge>;
  if (output.error === 'declined') return <Badge>{m.inbox_asked_declined()}</Badge>;
  const code = String(output.error);
  return (
    <>
      <Badge kind="warn">{m.inbox_asked_failed()}</Badge>
      <span className={styles.soft}>{wordsOf(new Failure(code, 409, code))}</span>
    </>
  );
}

/** To what it would be done. */
function About({ call: { input, output, offer } }: { readonly call: Call }) {
  const zone = useZone();
  const id = typeof input.appointment === 'string' ? input.appointment : '';
  const done = output.appointment as { readonly title: string; readonly scheduled_at: string } | undefined;
  const { data: read, isLoading } = useQuery({ ...appointmentQuery(id), enabled: id !== '' && done === undefined });
  const appointment = done ?? read?.data;
  const { days, message, name, status } = input;
  const parts = [
    // Its line keeps its place until it is there.
    isLoading ? '…' : appointment?.title,
    !appointment && offer?.title,
    // From when to when it is moved, if it is.
    [appointment, offer].flatMap((one) => (one ? [fullTime(one.scheduled_at, zone)] : [])).join(' → '),
    typeof days === 'number' && m.inbox_asks_days({ days }),
    message,
    name,
    isLeadStatus(status) && wordsOfStatus(status),
  ].filter((part) => typeof part === 'string' && part !== '');
  return (
    parts.length > 0 && (
      <p className={styles.soft} dir="auto">
        {parts.join(' · ')}
      </p>
    )
  );
}
