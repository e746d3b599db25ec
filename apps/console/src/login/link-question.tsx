import { useMutation } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasWayBack } from '../account/way-back.ts';
import { wordsOf } from '../api/failure.ts';
import { dataOf, type LoginLink, platform, type Session } from '../api/platform.ts';
import { credentialsQuery, queries } from '../api/queries.ts';
import { enter } from '../api/session.ts';
import { m } from '../paraglide/messages.js';
import { Button, buttonLook } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { sayWithAct } from '../ui/toasts.tsx';
import styles from './login.module.css';

type LinkQuestionProps = {
  readonly token: string;
  readonly view: LoginLink;
  readonly current: Session | undefined;
};

/** Says whom a link signs in and what that ends, and waits for the person. */
export function LinkQuestion({ token, view: { user, store }, current }: LinkQuestionProps) {
  const router = useRouter();
  const title = m.link_title({ store: store.name });
  useEffect(() => {
    document.title = `${title} · Mostrador`;
  }, [title]);
  const signIn = useMutation({
    mutationFn: () => dataOf(platform.POST('/session', { body: { token } })),
    onSuccess: async (session) => {
      enter(session);
      const credentials = await queries.fetchQuery(credentialsQuery).catch(() => undefined);
      await router.navigate({ to: credentials?.may_join ? '/account/join' : '/', replace: true });
      if (!credentials || credentials.may_join || hasWayBack(credentials)) return;
      sayWithAct(m.way_back_hint(), m.way_back_make(), () => void router.navigate({ to: '/account/security' }));
    },
  });
  return (
    <>
      <h1 className={styles.title}>{title}</h1>
      <p>{m.link_who({ name: user.name, email: user.email })}</p>
      {current && <p>{m.link_replaces({ name: current.user.name, store: current.store.name })}</p>}
      <p className={styles.soft}>{m.link_not_you()}</p>
      {signIn.error && <Bad>{wordsOf(signIn.error)}</Bad>}
      <div className={styles.actions}>
        <Button kind="main" busy={signIn.isPending || signIn.isSuccess} onClick={() => signIn.mutate()}>
          {m.link_sign_in()}
        </Button>
        {current && (
          <Link to="/" {...buttonLook('plain')}>
            {m.link_stay()}
          </Link>
        )}
      </div>
    </>
  );
}
