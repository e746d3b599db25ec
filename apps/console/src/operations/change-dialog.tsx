import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, type GiveUpWaiting, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Act, type Choice, changeWaiting, type Outcome } from './change-waiting.ts';
import styles from './operations.module.css';
import { waitingChanged } from './queries.ts';
import { kindsWords, skipWords, willWords } from './waiting-words.ts';

export type Question = { readonly act: Act; readonly choices: readonly Choice[] };
type Settle = 'sent' | 'failed' | undefined;

/** Without `unknown_as`, which only a give-up takes. */
const askTo: Record<Act, (body: GiveUpWaiting) => ReturnType<typeof giveUp>> = {
  retry: ({ unknown_as: _, ...body }) => dataOf(platform.POST('/waiting/retry', { body })),
  give_up: (body) => giveUp(body),
};
const giveUp = (body: GiveUpWaiting) => dataOf(platform.POST('/waiting/give-up', { body }));

const texts = {
  retry: {
    title: m.operations_retry_title,
    about: m.operations_retry_text,
    action: m.operations_retry,
    // What comes of an attempt is known only later.
    doneTitle: m.operations_retried_title,
    doneAbout: m.operations_retried_text,
  },
  give_up: {
    title: m.operations_give_up_title,
    about: m.operations_give_up_text,
    action: m.operations_give_up,
    doneTitle: m.operations_done_title,
    doneAbout: undefined,
  },
};

type ChangeDialogProps = {
  /** Undefined: it is closed. */
  readonly question: Question | undefined;
  readonly onClose: () => void;
};

/** Says what would happen, asks, does it, and says what happened. */
export function ChangeDialog({ question, onClose }: ChangeDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  // What it says stays while it disappears.
  const shown = useRef(question);
  if (question) shown.current = question;
  const { act, choices } = shown.current ?? { act: 'retry', choices: [] };
  const [unknown, setUnknown] = useState<Settle>();
  const options = { unknown_as: act === 'give_up' ? unknown : undefined };
  const preview = useQuery({
    queryKey: ['waiting-preview', act, choices, unknown],
    queryFn: () => changeWaiting(askTo[act], choices, { ...options, dry_run: true }),
    enabled: question !== undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const change = useMutation({
    mutationFn: () => changeWaiting(askTo[act], choices, { ...options, dry_run: false }),
    onSettled: waitingChanged,
  });
  const done = change.data;
  const { title, about, action, doneTitle, doneAbout } = texts[act];
  const nothing = preview.data?.every((outcome) => outcome.done === 0) ?? true;
  const settles = act === 'give_up' && choices.some(({ kind }) => kind === 'message');
  return (
    <Dialog
      open={question !== undefined}
      onClose={onClose}
      onClosed={() => {
        change.reset();
        setUnknown(undefined);
      }}
      title={done ? doneTitle() : title()}
      about={done ? doneAbout?.() : about()}
      initialFocus={cancel}
    >
      <DialogBody>
        {done ? (
          <Outcomes act={act} outcomes={done} isDone />
        ) : (
          <>
            {preview.data ? (
              <Outcomes act={act} outcomes={preview.data} />
            ) : preview.error ? (
              <Bad>{wordsOf(preview.error)}</Bad>
            ) : (
              <Skeleton width="full" />
            )}
            {settles && (
              <SelectField
                label={m.operations_unknown_as()}
                hint={m.operations_unknown_as_hint()}
                value={unknown ?? ''}
                onChange={({ target: { value } }) =>
                  setUnknown(value === 'sent' || value === 'failed' ? value : undefined)
                }
                choices={[
                  ['', m.operations_unknown_stay()],
                  ['failed', m.operations_unknown_failed()],
                  ['sent', m.operations_unknown_sent()],
                ]}
              />
            )}
            {change.error && <Bad>{wordsOf(change.error)}</Bad>}
          </>
        )}
      </DialogBody>
      <DialogFoot>
        <Button ref={cancel} kind={done ? 'main' : 'plain'} onClick={onClose}>
          {done ? m.close() : m.cancel()}
        </Button>
        {!done && !nothing && (
          <Button
            kind={act === 'give_up' ? 'danger' : 'main'}
            busy={change.isPending || preview.isFetching}
            onClick={() => change.mutate()}
          >
            {action()}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  );
}

type OutcomesProps = { readonly act: Act; readonly outcomes: readonly Outcome[]; readonly isDone?: boolean };

const Outcomes = ({ act, outcomes, isDone = false }: OutcomesProps) => (
  <ul className={styles.outcomes} aria-live="polite">
    {outcomes.map(({ kind, done, skipped }) => (
      <li key={kind} className={styles.outcome}>
        <p className={styles.kind}>
          {isDone
            ? m.operations_were_done({ what: kindsWords[kind](), count: done })
            : willWords[act][kind]({ count: done })}
        </p>
        {[...skipped].map(([why, count]) => (
          <p key={why} className={styles.soft}>
            {m.operations_left({ count, why: skipWords[why]() })}
          </p>
        ))}
      </li>
    ))}
  </ul>
);
