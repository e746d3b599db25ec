import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform, type StoreAi } from '../api/platform.ts';
import { aiQuery, keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { changedLimits } from './changed-limits.ts';
import type { Asked } from './connect-dialog.tsx';
import { numberIn } from './typed-number.ts';

type AiLimitsProps = Asked & { readonly budget: StoreAi['budget'] };

/** What the AI may use a day: calls, tokens, and money where the operator keeps prices. */
export function AiLimits({ budget, open, onClose }: AiLimitsProps) {
  const calls = useRef<HTMLInputElement>(null);
  return (
    <Dialog open={open} onClose={onClose} title={m.connections_ai_limits()} initialFocus={calls}>
      <Form budget={budget} onClose={onClose} callsRef={calls} />
    </Dialog>
  );
}

type FormProps = Pick<AiLimitsProps, 'budget' | 'onClose'> & {
  readonly callsRef: RefObject<HTMLInputElement | null>;
};

function Form({ budget, onClose, callsRef }: FormProps) {
  // As the fields show them: the limits may be read again meanwhile.
  const [shown] = useState(budget);
  const { most_calls, most_spent, most_tokens, currency } = shown;
  const [faults, setFaults] = useState<readonly string[]>([]);
  const save = useMutation({
    mutationFn: (body: ReturnType<typeof changedLimits>) => dataOf(platform.PATCH('/ai', { body })),
    onSuccess: async (next) => {
      await keep(aiQuery, next);
      say(m.connections_ai_limits_saved());
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string) => String(form.get(name) ?? '').trim();
    const calls = /^\d{1,7}$/.test(textOf('most_calls')) ? Number(textOf('most_calls')) : undefined;
    const money = textOf('most_spent') === '' ? null : numberIn(textOf('most_spent'));
    const typedTokens = textOf('most_tokens');
    const tokens = typedTokens === '' ? null : /^\d{1,10}$/.test(typedTokens) ? Number(typedTokens) : undefined;
    setFaults([
      ...(calls === undefined ? ['most_calls'] : []),
      ...(money === undefined ? ['most_spent'] : []),
      ...(tokens === undefined ? ['most_tokens'] : []),
    ]);
    if (calls === undefined || money === undefined || tokens === undefined || save.isPending) return;
    const change = changedLimits(shown, {
      ...{ most_calls: calls, most_spent: currency === null ? most_spent : money, most_tokens: tokens },
    });
    // The server takes no change that is empty.
    if (Object.keys(change).length === 0) onClose();
    else save.mutate(change);
  };
  const refused = (name: string) =>
    faults.includes(name) ? m.connections_ai_limit_bad() : faultOf(save.error, `#/${name}`);
  const isSaid = ['most_calls', 'most_spent', 'most_tokens'].some((name) => faultOf(save.error, `#/${name}`));
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={m.settings_save()}
      busy={save.isPending}
      bad={save.error && !isSaid ? wordsOf(save.error) : undefined}
    >
      <TextField
        ref={callsRef}
        label={m.connections_ai_most_calls()}
        hint={m.connections_ai_most_calls_hint()}
        error={refused('most_calls')}
        name="most_calls"
        inputMode="numeric"
        defaultValue={most_calls}
      />
      <TextField
        label={m.connections_ai_most_tokens()}
        hint={m.connections_ai_most_tokens_hint()}
        error={refused('most_tokens')}
        name="most_tokens"
        inputMode="numeric"
        defaultValue={most_tokens ?? ''}
      />
      {currency !== null && (
        <TextField
          label={m.connections_ai_most_spent({ currency })}
          hint={m.connections_ai_most_spent_hint()}
          error={refused('most_spent')}
          name="most_spent"
          inputMode="decimal"
          defaultValue={
            most_spent === null
              ? ''
              : most_spent.toLocaleString(getLocale(), { useGrouping: false, maximumFractionDigits: 6 })
          }
        />
      )}
    </DialogForm>
  );
}
