import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { faultOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';

export type Asked = { readonly open: boolean; readonly onClose: () => void };
/** The text of a field, without the spaces around it. */
export type TextOf = (name: string) => string;

type ConnectDialogProps<Provider extends string> = Asked & {
  readonly title: string;
  readonly provider: Provider;
  readonly providers: readonly (readonly [Provider, string])[];
  readonly onProvider: (provider: Provider) => void;
  readonly hint: string;
  /** The names of the fields that must not be empty. */
  readonly needed: readonly string[];
  readonly connect: (textOf: TextOf) => Promise<void>;
  readonly action: string;
  /** What the button says while it connects. */
  readonly connecting?: string;
  /** What went wrong and no field says. */
  readonly wordsOf: (error: unknown) => string | undefined;
  readonly children: (fields: ReturnType<typeof fieldsOf>) => ReactNode;
};

/** Asks what to connect, and for what that needs. */
export function ConnectDialog<Provider extends string>(props: ConnectDialogProps<Provider>) {
  const { open, onClose, title, provider, providers, onProvider, hint, needed, action, connecting = action } = props;
  const select = useRef<HTMLSelectElement>(null);
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: props.connect, onSuccess: onClose });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string) => String(form.get(name) ?? '').trim();
    const left = new Set(needed.filter((name) => textOf(name) === ''));
    setMissing(left);
    if (left.size === 0 && !isPending) mutate(textOf);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => {
        reset();
        setMissing(new Set());
      }}
      title={title}
      initialFocus={select}
    >
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={isPending ? connecting : action}
        busy={isPending}
        bad={error ? props.wordsOf(error) : undefined}
      >
        <SelectField
          label={m.connections_kind()}
          hint={hint}
          ref={select}
          value={provider}
          onChange={({ target }) => {
            onProvider(providers.find(([each]) => each === target.value)?.[0] ?? provider);
            reset();
          }}
          choices={providers}
        />
        {props.children(fieldsOf(missing, error))}
      </DialogForm>
    </Dialog>
  );
}

/** What the fields have in common: their names, and their faults. */
function fieldsOf(missing: ReadonlySet<string>, error: unknown) {
  const field = (name: string, pointer = `#/${name}`) => ({
    name,
    error: missing.has(name) ? m.connections_missing() : faultOf(error, pointer),
  });
  return {
    field,
    /** A member of `secrets` that may be read aloud, such as an id. */
    part: (name: string) => field(name, `#/secrets/${name}`),
    secret: (name: string) => ({
      ...field(name, `#/secrets/${name}`),
      type: 'password',
      autoComplete: 'new-password',
    }),
  };
}
