import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { dataOf, platform } from '../api/platform.ts';
import { credentialsQuery, sessionQuery, signInOptionsQuery } from '../api/queries.ts';
import { tellOfSession } from '../api/session.ts';
import { ProviderButton } from '../login/provider-button.tsx';
import { m } from '../paraglide/messages.js';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Bad, Page } from '../ui/page.tsx';
import styles from './join.module.css';
import { hasPasskeys, isHostOfPasskeys, joinWithPasskey } from './passkey.ts';
import { useProof } from './use-proof.ts';

export const route = createLazyRoute('/shell/account/join')({ component: Join });

/** Says what it means that a password or passkey opens this store too, and asks for it once more. */
function Join() {
  const { data: session } = useQuery(sessionQuery);
  const { data: credentials, error: unread, refetch } = useQuery(credentialsQuery);
  const { data: options } = useQuery(signInOptionsQuery);
  const { busy, bad, submit, usePasskey } = useProof({
    read: (form) => String(form.get('password')) || undefined,
    missing: m.join_password_missing,
    byPassword: (password: string) => dataOf(platform.POST('/session/join', { body: { password } })),
    byPasskey: joinWithPasskey,
    // The page loads again: the stores to which the person may go are others.
    onSuccess() {
      tellOfSession();
      location.assign('/console/');
    },
  });
  if (unread && !credentials) return <LoadFailed error={unread} retry={refetch} />;
  if (!session || !credentials) return null;
  const store = session.store.name;
  return (
    <Page title={m.join_title({ store })} about={m.join_who({ name: session.user.name, email: session.user.email })}>
      <div className={styles.words}>
        <p>{m.join_means({ store })}</p>
        <p className={styles.warning}>{m.join_warning({ store })}</p>
      </div>
      {bad && <Bad>{bad}</Bad>}
      {credentials.password && (
        <form className={styles.form} onSubmit={submit} noValidate>
          <input type="text" name="username" autoComplete="username" defaultValue={session.user.email} hidden />
          <TextField name="password" type="password" label={m.join_password()} autoComplete="current-password" />
          <Button type="submit" kind="main" busy={busy}>
            {m.join_with_password()}
          </Button>
        </form>
      )}
      <div className={styles.actions}>
        {hasPasskeys() && isHostOfPasskeys(credentials.passkey_host) && (
          <Button busy={busy} onClick={usePasskey}>
            <KeyRound size={14} aria-hidden />
            {m.join_with_passkey()}
          </Button>
        )}
        {options?.oidc && (
          <ProviderButton
            label={m.join_with_provider({ name: options.oidc.name })}
            start={() => dataOf(platform.POST('/session/join/oidc'))}
          />
        )}
        <Link to="/" {...buttonLook('plain')}>
          {m.join_not_now()}
        </Link>
      </div>
    </Page>
  );
}
