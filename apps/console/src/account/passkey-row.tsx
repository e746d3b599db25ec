import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, type Passkey, platform } from '../api/platform.ts';
import { credentialsQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { relativeTime } from '../ui/time.ts';
import { say } from '../ui/toasts.tsx';
import styles from './security.module.css';

export function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { name, created_at, last_used_at } = passkey;
  const [asked, setAsked] = useState<'rename' | 'remove'>();
  const now = Date.now();
  const close = () => setAsked(undefined);
  return (
    <li className={styles.passkey}>
      <div className={styles.what}>
        <p className={styles.name}>{name}</p>
        <p className={styles.soft}>
          {m.passkey_since({ when: relativeTime(created_at, now) })} ·{' '}
          {last_used_at ? m.passkey_used({ when: relativeTime(last_used_at, now) }) : m.passkey_not_used()}
        </p>
      </div>
      <div className={styles.actions}>
        <Button aria-label={m.passkey_rename_of({ name })} onClick={() => setAsked('rename')}>
          {m.passkey_rename()}
        </Button>
        <Button aria-label={m.passkey_remove_button({ name })} onClick={() => setAsked('remove')}>
          {m.passkey_remove()}
        </Button>
      </div>
      <Rename passkey={passkey} open={asked === 'rename'} onClose={close} />
      <Remove passkey={passkey} open={asked === 'remove'} onClose={close} />
    </li>
  );
}

type AskedProps = { readonly passkey: Passkey; readonly open: boolean; readonly onClose: () => void };

function Rename({ passkey: { id, name }, open, onClose }: AskedProps) {
  const field = useRef<HTMLInputElement>(null);
  const rename = useMutation({
    mutationFn: (next: string) =>
      dataOf(platform.PATCH('/passkeys/{passkeyId}', { params: { path: { passkeyId: id } }, body: { name: next } })),
    onSuccess: async (passkey) => {
      await queries.invalidateQueries(credentialsQuery);
      say(m.passkey_was_renamed({ name: passkey.name }));
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = String(new FormData(event.currentTarget).get('name')).trim();
    if (!rename.isPending) rename.mutate(next || name);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={rename.reset}
      title={m.passkey_rename_of({ name })}
      initialFocus={field}
    >
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={m.save()}
        busy={rename.isPending}
        bad={rename.error ? wordsOf(rename.error) : undefined}
      >
        <TextField ref={field} name="name" label={m.passkey_name()} maxLength={100} defaultValue={name} />
      </DialogForm>
    </Dialog>
  );
}

function Remove({ passkey: { id, name }, open, onClose }: AskedProps) {
  const remove = async () => {
    await dataOf(platform.DELETE('/passkeys/{passkeyId}', { params: { path: { passkeyId: id } } }));
    await queries.invalidateQueries(credentialsQuery);
    say(m.passkey_was_removed({ name }));
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={m.passkey_remove_of({ name })}
      about={m.passkey_remove_text()}
      action={m.passkey_remove()}
      act={remove}
    />
  );
}
