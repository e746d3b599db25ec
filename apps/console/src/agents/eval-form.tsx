import { useMutation } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import { useLeave, useUnsaved } from '../ui/unsaved.tsx';
import {
  bodyOfEval,
  type EvalDraft,
  type ExpectationType,
  evalDraftOf,
  faultsOfEval,
  longestExpectation,
  mostExpectations,
  needsValue,
  newExpectation,
} from './eval-draft.ts';
import { type AgentEval, changeEval, createEval, evalsChanged } from './eval-queries.ts';
import { expectationTypes, expectationWords, wordsOfRefusedEval } from './eval-words.ts';
import styles from './evals.module.css';

type EvalFormProps = {
  readonly agentId: string;
  /** Undefined: a new one. */
  readonly eval: AgentEval | undefined;
  readonly onClose: () => void;
};

/** What a customer writes, and what a good answer does. */
export function EvalForm({ agentId, eval: known, onClose }: EvalFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [first] = useState(() => evalDraftOf(known));
  const [draft, setDraft] = useState<EvalDraft>(first);
  const [tried, setTried] = useState(false);
  const leave = useLeave();
  const save = useMutation({
    mutationFn: () =>
      known ? changeEval(agentId, known.id, bodyOfEval(draft)) : createEval(agentId, bodyOfEval(draft)),
    onSuccess: async () => {
      await evalsChanged(agentId);
      onClose();
    },
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first);
  const unsaved = useUnsaved({ isChanged, busy: save.isPending });
  const focusOn = (name: string) => form.current?.querySelector<HTMLElement>(`[name=${name}]`)?.focus();
  useEffect(() => focusOn('text'), []);
  const faults = tried ? faultsOfEval(draft) : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    setTried(true);
    const wrong = faultsOfEval(draft);
    if (wrong.text) return focusOn('text');
    if (!wrong.expects) save.mutate();
  };
  const { text, expects } = draft;
  const change = (key: number, part: Partial<EvalDraft['expects'][number]>) =>
    setDraft({ text, expects: expects.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate {...unsaved}>
      <TextArea
        label={m.agents_evals_text()}
        name="text"
        value={text}
        hint={m.agents_evals_text_hint()}
        error={faults.text && m.agents_evals_text_wrong()}
        onChange={(event) => setDraft({ text: event.currentTarget.value, expects })}
      />
      {expects.map(({ key, type, value }, place) => (
        <fieldset key={key} className={styles.box} aria-label={m.agents_evals_expectation({ number: place + 1 })}>
          <SelectField
            label={m.agents_evals_answer()}
            value={type}
            choices={expectationTypes.map((one) => [one, expectationWords[one]()] as const)}
            onChange={(event) => change(key, { type: event.currentTarget.value as ExpectationType })}
          />
          {needsValue(type) && (
            <TextField
              label={type === 'from_document' ? m.agents_evals_title() : m.agents_evals_words()}
              maxLength={longestExpectation}
              value={value}
              error={faults.expects && value.trim() === '' ? m.agents_evals_value_missing() : undefined}
              onChange={(event) => change(key, { value: event.currentTarget.value })}
            />
          )}
          <Button
            kind="bare"
            className={styles.actions}
            aria-label={m.agents_evals_expectation_remove({ number: place + 1 })}
            onClick={() => setDraft({ text, expects: expects.filter((one) => one.key !== key) })}
          >
            <X size={14} aria-hidden />
            {m.agents_evals_remove()}
          </Button>
        </fieldset>
      ))}
      <div className={styles.actions}>
        {expects.length < mostExpectations && (
          <Button kind="bare" onClick={() => setDraft({ text, expects: [...expects, newExpectation()] })}>
            <Plus size={14} aria-hidden />
            {m.agents_evals_expectation_add()}
          </Button>
        )}
      </div>
      {save.error && <Bad>{wordsOfRefusedEval(save.error)}</Bad>}
      <div className={styles.actions}>
        <Button type="submit" busy={save.isPending}>
          {m.agents_evals_save()}
        </Button>
        <Button kind="bare" onClick={() => leave(onClose)}>
          {m.cancel()}
        </Button>
      </div>
    </form>
  );
}
