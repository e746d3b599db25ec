import { useRouter } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { hasPasskeys, signInWithPasskey } from '../account/passkey.ts';
import { useProof } from '../account/use-proof.ts';
import { dataOf, platform } from '../api/platform.ts';
import { enter } from '../api/session.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Bad } from '../ui/page.tsx';
import styles from './login.module.css';

/** An email address and a password, or a passkey. A wrong password stays in the field, to be corrected. */
export function SignInForm() {
  const router = useRouter();
  const { busy, bad, submit, usePasskey } = useProof({
    read(form) {
      const body = { email: String(form.get('email')).trim(), password: String(form.get('password')) };
      return body.email === '' || body.password === '' ? undefined : body;
    },
    missing: m.error_sign_in_missing,
    byPassword: (body: { email: string; password: string }) => dataOf(platform.POST('/session', { body })),
    byPasskey: signInWithPasskey,
    async onSuccess(session) {
      enter(session);
      await router.navigate({ to: '/', replace: true });
    },
  });
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
