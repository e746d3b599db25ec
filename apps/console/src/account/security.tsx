import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { credentialsQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button, buttonLook } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { relativeTime } from '../ui/time.ts';
import { AddPasskey } from './add-passkey.tsx';
import { hasPasskeys, isHostOfPasskeys } from './passkey.ts';
import { PasskeyRow } from './passkey-row.tsx';
import styles from './security.module.css';
import { SetPassword } from './set-password.tsx';

export const route = createLazyRoute('/shell/account/security')({ component: Security });

/** A link of another store does not show when the password was set. */
function wordsOfPassword(password: { readonly changed_at: string | null } | null): string {
  if (password === null) return m.password_none();
  if (password.changed_at === null) return m.password_elsewhere();
  return m.password_since({ when: relativeTime(password.changed_at, Date.now()) });
}

function Security() {
  const { data: credentials, error, refetch } = useQuery(credentialsQuery);
  const { data: session } = useQuery(sessionQuery);
  const [asked, setAsked] = useState<'password' | 'passkey'>();
  const close = () => setAsked(undefined);
  if (error && !credentials) return <LoadFailed error={error} retry={refetch} />;
  const { password = null, passkeys = [], passkey_host: host = null } = credentials ?? {};
  const account = credentials?.oidc;
  const mayAdd = hasPasskeys() && isHostOfPasskeys(host);
  return (
    <Page title={m.security()} about={m.security_about()}>
      <section className={styles.section} aria-busy={!credentials}>
        <div className={styles.head}>
          <div>
            <h2 className={styles.title}>{m.password()}</h2>
            {credentials ? <p className={styles.soft}>{wordsOfPassword(password)}</p> : <Skeleton width="long" />}
          </div>
          <Button busy={!credentials} onClick={() => setAsked('password')}>
            {password ? m.password_change() : m.password_set()}
          </Button>
        </div>
      </section>
      {account && (
        <section className={styles.section}>
          <h2 className={styles.title}>{account.name}</h2>
          <p className={styles.soft}>
            {m.security_account({
              linked: relativeTime(account.linked_at, Date.now()),
              used: relativeTime(account.last_used_at, Date.now()),
            })}
          </p>
        </section>
      )}
      <section className={styles.section} aria-busy={!credentials}>
        <div className={styles.head}>
          <div>
            <h2 className={styles.title}>{m.passkeys()}</h2>
            <p className={styles.soft}>
              {credentials && !mayAdd
                ? m.passkeys_not_here({ host: host ?? m.passkeys_host_name() })
                : m.passkeys_about()}
            </p>
          </div>
          {mayAdd && <Button onClick={() => setAsked('passkey')}>{m.passkey_add()}</Button>}
        </div>
        {passkeys.length > 0 && (
          <ul className={styles.list}>
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} />
            ))}
          </ul>
        )}
      </section>
      {credentials?.may_join && session && (
        <section className={styles.section}>
          <div className={styles.head}>
            <div>
              <h2 className={styles.title}>{session.store.name}</h2>
              <p className={styles.soft}>{m.security_join()}</p>
            </div>
            <Link to="/account/join" {...buttonLook('plain')}>
              {m.security_join_go()}
            </Link>
          </div>
        </section>
      )}
      {credentials && (
        <>
          <SetPassword
            open={asked === 'password'}
            needsCurrent={password !== null && credentials.needs_current_password}
            onClose={close}
          />
          <AddPasskey
            open={asked === 'passkey'}
            needsCurrent={password !== null && !credentials.may_create_passkey}
            onClose={close}
          />
        </>
      )}
    </Page>
  );
}
