import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform, type Scope } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { expiryOf } from './key-state.ts';
import styles from './keys.module.css';
import { allScopes, readScopes, scopesByArea } from './scopes.ts';
import { SecretShown } from './secret-shown.tsx';

const expiries: readonly (readonly [string, number | null, () => string])[] = [
  ['30', 30, () => m.key_in_days({ count: 30 })],
  ['90', 90, () => m.key_in_days({ count: 90 })],
  ['365', 365, m.key_in_a_year],
  ['never', null, m.key_never],
];

/** Asks for a name, rights and an expiry, then shows the key once. */
export function CreateKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const name = useRef<HTMLInputElement>(null);
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [fault, setFault] = useState<string>();
  const create = useMutation({
    mutationFn: (body: { name: string; scopes: Scope[]; expires_at: string | null }) =>
      dataOf(platform.POST('/keys', { body })),
    onSuccess: () => queries.invalidateQueries(keysQuery),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (create.isPending) return;
    const form = new FormData(event.currentTarget);
    const given = String(form.get('name')).trim();
    if (given === '') {
      setFault(m.key_name_missing());
      return name.current?.focus();
    }
    if (scopes.length === 0) return setFault(m.key_scopes_missing());
    setFault(undefined);
    const days = expiries.find(([value]) => value === form.get('expiry'))?.[1] ?? null;
    create.mutate({ name: given, scopes: [...scopes], expires_at: expiryOf(days, Date.now()) });
  };
  const made = create.data;
  const reset = () => {
    create.reset();
    setScopes([]);
    setFault(undefined);
  };
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={reset}
      title={made ? m.key_secret_title({ name: made.key.name }) : m.key_create_title()}
      about={made ? m.key_secret_text() : undefined}
      initialFocus={name}
    >
      {made ? (
        <SecretShown apiKey={made.api_key} scopes={made.key.scopes} onClose={onClose} />
      ) : (
        <DialogForm
          onSubmit={submit}
          onClose={onClose}
          action={m.key_create()}
          busy={create.isPending}
          isChanged={scopes.length > 0}
          bad={fault ?? (create.error ? wordsOf(create.error) : undefined)}
        >
          <TextField ref={name} name="name" label={m.key_name()} hint={m.key_name_hint()} maxLength={200} />
          <ChooseScopes chosen={scopes} onChoose={setScopes} />
          <SelectField
            name="expiry"
            label={m.key_expiry()}
            defaultValue="90"
            choices={expiries.map(([value, , text]) => [value, text()] as const)}
          />
        </DialogForm>
      )}
    </Dialog>
  );
}

type ChooseScopesProps = { readonly chosen: readonly Scope[]; readonly onChoose: (scopes: readonly Scope[]) => void };

function ChooseScopes({ chosen, onChoose }: ChooseScopesProps) {
  const toggle = (scope: Scope) =>
    onChoose(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  const box = (area: string, right: string, scope: Scope | undefined) => (
    <span className={styles.cell}>
      {scope && (
        <input
          type="checkbox"
          aria-label={`${area}: ${right}`}
          checked={chosen.includes(scope)}
          onChange={() => toggle(scope)}
        />
      )}
    </span>
  );
  return (
    <fieldset>
      <legend className={styles.label}>{m.key_scopes()}</legend>
      <div className={styles.presets}>
        <Button className={styles.preset} onClick={() => onChoose(readScopes)}>
          {m.key_all_read()}
        </Button>
        <Button className={styles.preset} onClick={() => onChoose(allScopes)}>
          {m.key_all()}
        </Button>
        <Button className={styles.preset} onClick={() => onChoose([])}>
          {m.key_none()}
        </Button>
      </div>
      <div className={styles.scopes}>
        <div className={styles.scopeHead} aria-hidden>
          <span />
          <span>{m.key_read()}</span>
          <span>{m.key_write()}</span>
        </div>
        {scopesByArea().map(({ name, read, write }) => (
          <div key={name} className={styles.scope}>
            <span>{name}</span>
            {box(name, m.key_read(), read)}
            {box(name, m.key_write(), write)}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
