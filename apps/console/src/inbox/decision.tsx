import { useMutation, useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { useId, useLayoutEffect, useRef } from 'react';
import { wordsOfUse } from '../agents/tools.ts';
import { Failure, wordsOf } from '../api/failure.ts';
import { type AskedEffects, dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { appointmentQuery, refresh } from '../calendar/appointment-queries.ts';
import { isLeadStatus, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { clockTime, fullTime } from '../ui/time.ts';
import { useNow } from '../ui/use-now.ts';
import { type Asked, alternativesOf, keptUntil, waitsForPerson } from './asking.ts';
import styles from './decision.module.css';
import { decisionsQuery, explanationQuery } from './inbox-queries.ts';

type Call = AskedEffects['tools'][number];
type DecisionProps = {
  readonly leadId: string;
  readonly messageId: string;
  readonly asked: Asked;
  readonly onShown?: () => void;
};

/** What the AI asks a person for, with the buttons that decide it, and then what came of it. */
export function Decision({ leadId, messageId, asked, onShown }: DecisionProps) {
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
  const waits = waitsForPerson(asked);
  const title = waits ? m.inbox_asks() : m.inbox_asked();
  return (
    <section ref={card} className={styles.card} aria-labelledby={heading} tabIndex={-1}>
      <h3 id={heading} className={styles.title}>
        <Bot size={14} aria-hidden />
        {title}
      </h3>
      <ul className={styles.list} aria-live="polite">
        {asked.tools.map((call, place) => (
          <li key={place}>
            <span>{wordsOfUse(call.tool)}</span> {!call.awaits_confirmation && <Came call={call} />}
            <About call={call} />
          </li>
        ))}
      </ul>
      {!waits && asked.decision && <Decided decision={asked.decision} />}
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
    queries.invalidateQueries(decisionsQuery(leadId)),
    queries.invalidateQueries({ queryKey: ['messages', leadId] }),
    queries.invalidateQueries({ queryKey: ['conversations'] }),
    refresh(),
  ]);

/** What the server refused although it still waits. */
function wordsOfRefusal(error: unknown, decision: 'confirm' | 'decline' | undefined): string {
  if (!(error instanceof Failure) || error.code !== 'nothing_to_confirm') return wordsOf(error);
  return decision === 'decline' ? m.inbox_decline_too_late() : m.inbox_confirm_too_late();
}

/** What was decided, by whom and when. */
function Decided({ decision: { decision, decided_at, by } }: { readonly decision: NonNullable<Asked['decision']> }) {
  const zone = useZone();
  const name = by?.name ?? (by?.kind === 'api_key' ? m.inbox_decided_program() : m.inbox_decided_unknown());
  const words = decision === 'confirm' ? m.inbox_decided_confirm : m.inbox_decided_decline;
  return (
    <p className={styles.soft} dir="auto">
      {words({ name, when: fullTime(decided_at, zone) })}
    </p>
  );
}

/** What came of an effect. */
function Came({ call: { output } }: { readonly call: Call }) {
  const zone = useZone();
  if (output.error === undefined) return <Badge kind="good">{m.inbox_asked_done()}</Badge>;
  if (output.error === 'declined') return <Badge>{m.inbox_asked_declined()}</Badge>;
  if (output.error === 'outcome_unknown') return <Badge kind="warn">{m.inbox_asked_unknown()}</Badge>;
  const code = String(output.error);
  const free = alternativesOf(output);
  return (
    <>
      <Badge kind="warn">{m.inbox_asked_failed()}</Badge>
      <span className={styles.soft}>{wordsOf(new Failure(code, 409, code))}</span>
      {free.length > 0 && (
        <span className={styles.soft}>
          {m.inbox_asked_free({ times: free.map((start) => fullTime(start, zone)).join(' · ') })}
        </span>
      )}
    </>
  );
}

/** To what it would be done. */
function About({ call }: { readonly call: Call }) {
  const { input, output, offer } = call;
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
    <>
      {parts.length > 0 && (
        <p className={styles.soft} dir="auto">
          {parts.join(' · ')}
        </p>
      )}
      <Kept call={call} />
    </>
  );
}

/** Whether its time is kept for the customer until a person decides. */
function Kept({ call }: { readonly call: Call }) {
  const zone = useZone();
  const kept = keptUntil(call, useNow());
  if (!kept || !call.offer?.held_until) return null;
  return (
    <p className={styles.soft}>
      {kept.isOver ? m.inbox_held_no_more() : m.inbox_held_until({ time: clockTime(call.offer.held_until, zone) })}
    </p>
  );
}
