import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { credentialsQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { wordsOfAgent } from './agent-words.ts';
import { makePasskey } from './passkey.ts';

type AddPasskeyProps = { readonly open: boolean; readonly needsCurrent: boolean; readonly onClose: () => void };

/** Asks for a name, and for the current password where it is needed. The browser asks the rest. */
export function AddPasskey({ open, needsCurrent, onClose }: AddPasskeyProps) {
  const name = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const add = useMutation({
    mutationFn: ({ called, current }: { called: string; current: string | undefined }) => makePasskey(called, current),
    onSuccess: async (passkey) => {
      await queries.invalidateQueries(credentialsQuery);
      say(m.passkey_was_added({ name: passkey.name }));
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (add.isPending) return;
    const form = new FormData(event.currentTarget);
    const called = String(form.get('name')).trim();
    if (called === '') {
      setFault(m.passkey_name_missing());
      return name.current?.focus();
    }
    setFault(undefined);
    add.mutate({ called, current: needsCurrent ? String(form.get('current')) : undefined });
  };
  const reset = () => {
    add.reset();
    setFault(undefined);
  };
  const bad = fault ?? (add.error ? wordsOf(add.error) : undefined);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={reset}
      title={m.passkey_add()}
      about={m.passkey_add_text()}
      initialFocus={name}
    >
      <DialogForm onSubmit={submit} onClose={onClose} action={m.passkey_add()} busy={add.isPending} bad={bad}>
        <TextField
          ref={name}
          name="name"
          label={m.passkey_name()}
          maxLength={100}
          defaultValue={wordsOfAgent(navigator.userAgent)}
        />
        {needsCurrent && (
          <TextField name="current" type="password" label={m.password_current()} autoComplete="current-password" />
        )}
      </DialogForm>
    </Dialog>
  );
}
