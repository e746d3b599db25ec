import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import type { Session } from '../api/platform.ts';

type Proof<Body> = {
  /** What the form has. Undefined: something is missing. */
  readonly read: (form: FormData) => Body | undefined;
  /** What to say when something is missing. */
  readonly missing: () => string;
  readonly byPassword: (body: Body) => Promise<Session>;
  readonly byPasskey: () => Promise<Session>;
  readonly onSuccess: (session: Session) => void | Promise<void>;
};

/** Proves who a person is, with a password or a passkey. What went wrong with one is forgotten when the other is tried. */
export function useProof<Body>({ read, missing, byPassword, byPasskey, onSuccess }: Proof<Body>) {
  const [fault, setFault] = useState<string>();
  const password = useMutation({ mutationFn: byPassword, onSuccess });
  const passkey = useMutation({ mutationFn: byPasskey, onSuccess });
  const busy = [password, passkey].some(({ isPending, isSuccess }) => isPending || isSuccess);
  const error = password.error ?? passkey.error;
  return {
    busy,
    bad: fault ?? (error ? wordsOf(error) : undefined),
    submit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault();
      if (busy) return;
      const body = read(new FormData(event.currentTarget));
      passkey.reset();
      setFault(body === undefined ? missing() : undefined);
      if (body === undefined) password.reset();
      else password.mutate(body);
    },
    usePasskey() {
      password.reset();
      setFault(undefined);
      passkey.mutate();
    },
  };
}
