import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { credentialsQuery, queries, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';

type SetPasswordProps = { readonly open: boolean; readonly needsCurrent: boolean; readonly onClose: () => void };

/** Asks for a new password. What is wrong with it is in the words of the server. */
export function SetPassword({ open, needsCurrent, onClose }: SetPasswordProps) {
  const first = useRef<HTMLInputElement>(null);
  const { data: session } = useQuery(sessionQuery);
  const [fault, setFault] = useState<string>();
  const set = useMutation({
    mutationFn: (body: { new_password: string; current_password?: string }) =>
      dataOf(platform.PUT('/password', { body })),
    onSuccess: async () => {
      await queries.invalidateQueries(credentialsQuery);
      say(m.password_was_set());
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (set.isPending) return;
    const form = new FormData(event.currentTarget);
    const new_password = String(form.get('new'));
    const current_password = needsCurrent ? String(form.get('current')) : undefined;
    if (new_password === '') {
      set.reset();
      return setFault(m.password_missing());
    }
    setFault(undefined);
    set.mutate({ new_password, ...(current_password !== undefined && { current_password }) });
  };
  const reset = () => {
    set.reset();
    setFault(undefined);
  };
  const bad = fault ?? (set.error ? wordsOf(set.error) : undefined);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={reset}
      title={needsCurrent ? m.password_change() : m.password_set()}
      about={m.password_ends()}
      initialFocus={first}
    >
      <DialogForm onSubmit={submit} onClose={onClose} action={m.save()} busy={set.isPending} bad={bad}>
        {/* Tells a program for passwords whose password it is. */}
        <input type="text" name="username" autoComplete="username" defaultValue={session?.user.email} hidden />
        {needsCurrent && (
          <TextField
            ref={first}
            name="current"
            type="password"
            label={m.password_current()}
            autoComplete="current-password"
          />
        )}
        <TextField
          ref={needsCurrent ? undefined : first}
          name="new"
          type="password"
          label={m.password_new()}
          hint={m.password_new_hint()}
          autoComplete="new-password"
        />
      </DialogForm>
    </Dialog>
  );
}
