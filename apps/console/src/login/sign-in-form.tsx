import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { hasPasskeys, signInWithPasskey } from '../account/passkey.ts';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform, type Session } from '../api/platform.ts';
import { enter } from '../api/session.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import styles from './login.module.css';

/** An email address and a password, or a passkey. A wrong password stays in the field, to be corrected. */
export function SignInForm() {
  const router = useRouter();
  const [fault, setFault] = useState<string>();
  const onSuccess = async (session: Session) => {
    enter(session);
    await router.navigate({ to: '/', replace: true });
  };
  const password = useMutation({
    mutationFn: (body: { email: string; password: string }) => dataOf(platform.POST('/session', { body })),
    onSuccess,
  });
  const passkey = useMutation({ mutationFn: signInWithPasskey, onSuccess });
  const busy = password.isPending || passkey.isPending;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    passkey.reset();
    const form = new FormData(event.currentTarget);
    const body = { email: String(form.get('email')).trim(), password: String(form.get('password')) };
    if (body.email === '' || body.password === '') {
      password.reset();
      return setFault(m.error_sign_in_missing());
    }
    setFault(undefined);
    password.mutate(body);
  };
  const usePasskey = () => {
    password.reset();
    setFault(undefined);
    passkey.mutate();
  };
  const error = password.error ?? passkey.error;
  const bad = fault ?? (error ? wordsOf(error) : undefined);
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField name="email" type="email" label={m.sign_in_email()} autoComplete="username" maxLength={254} />
      <TextField
        name="password"
        type="password"
        label={m.sign_in_password()}
        autoComplete="current-password"
        maxLength={1000}
      />
      {bad && <Bad>{bad}</Bad>}
      <div className={styles.actions}>
        <Button type="submit" kind="main" busy={busy}>
          {m.sign_in()}
        </Button>
        {hasPasskeys() && (
          <Button busy={busy} onClick={usePasskey}>
            <KeyRound size={14} aria-hidden />
            {m.sign_in_with_passkey()}
          </Button>
        )}
      </div>
    </form>
  );
}
