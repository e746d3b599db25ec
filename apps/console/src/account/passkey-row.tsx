import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, type Passkey, platform } from '../api/platform.ts';
import { credentialsQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { Bad } from '../ui/page.tsx';
import { relativeTime } from '../ui/time.ts';
import { say } from '../ui/toasts.tsx';
import { CredentialField } from './credential-field.tsx';
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
      <form className={styles.form} onSubmit={submit} noValidate>
        <DialogBody>
          <CredentialField
            ref={field}
            name="name"
            label={m.passkey_name()}
            maxLength={100}
            autoComplete="off"
            defaultValue={name}
          />
          {rename.error && <Bad>{wordsOf(rename.error)}</Bad>}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{m.cancel()}</Button>
          <Button type="submit" kind="main" busy={rename.isPending}>
            {m.save()}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

function Remove({ passkey: { id, name }, open, onClose }: AskedProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const remove = useMutation({
    mutationFn: () => dataOf(platform.DELETE('/passkeys/{passkeyId}', { params: { path: { passkeyId: id } } })),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries(credentialsQuery);
      say(m.passkey_was_removed({ name }));
    },
  });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={remove.reset}
      title={m.passkey_remove_of({ name })}
      about={m.passkey_remove_text()}
      initialFocus={cancel}
    >
      {remove.error && (
        <DialogBody>
          <Bad>{wordsOf(remove.error)}</Bad>
        </DialogBody>
      )}
      <DialogFoot>
        <Button ref={cancel} onClick={onClose}>
          {m.cancel()}
        </Button>
        <Button kind="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          {m.passkey_remove()}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
