import { createLazyRoute, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Failure, wordsOf } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { LinkQuestion } from './link-question.tsx';
import styles from './login.module.css';
import { ProviderButton } from './provider-button.tsx';
import { SignInForm } from './sign-in-form.tsx';

export const route = createLazyRoute('/login')({ component: Login, pendingComponent: Pending });

const command = 'npm run admin -- user login-link --email EMAIL';

function Login() {
  const { failure: ofLink, provider, link } = route.useLoaderData();
  const { ended, failed } = route.useSearch();
  const router = useRouter();
  // A used token in the address would only fail again. One that did not reach the server may still work.
  const canRetry = ofLink !== undefined && ofLink.code !== 'invalid_login_link';
  const failure = ofLink ?? (failed === undefined ? undefined : failureAtProvider(failed));
  useEffect(() => {
    if (!link) document.title = `${m.sign_in_title()} · Mostrador`;
    if (ofLink && !canRetry) history.replaceState(history.state, '', location.pathname);
  }, [ofLink, canRetry, link]);
  // A link that is pasted while this page is open changes only what stands behind the `#`.
  useEffect(() => {
    const start = () => location.reload();
    addEventListener('hashchange', start);
    return () => removeEventListener('hashchange', start);
  }, []);
  if (link) {
    return (
      <main className={styles.page}>
        <Mark />
        <LinkQuestion {...link} />
      </main>
    );
  }
  return (
    <main className={styles.page}>
      <Mark />
      <h1 className={styles.title}>{failure ? m.sign_in_failed() : m.sign_in_title()}</h1>
      {failure && <Bad>{wordsOf(failure)}</Bad>}
      {canRetry && <Button onClick={() => void router.invalidate()}>{m.try_again()}</Button>}
      {ended && <p>{m.session_ended()}</p>}
      <SignInForm />
      {provider && (
        <ProviderButton
          label={m.sign_in_with_provider({ name: provider })}
          start={() => dataOf(platform.POST('/session/oidc'))}
        />
      )}
      <p>{m.sign_in_link()}</p>
      <p className={styles.soft}>{m.sign_in_who()}</p>
      <code className={styles.command}>{command}</code>
    </main>
  );
}

/** Anybody can write this address, so it chooses among our words and adds none. */
const failureAtProvider = (code: string) =>
  code.startsWith('oidc_') ? new Failure(code, 503, '') : new Failure('', code === 'quota_exceeded' ? 429 : 503, '');

function Pending() {
  return (
    <main className={styles.page} aria-busy="true">
      <Mark />
      <p className={styles.soft}>{m.sign_in_busy()}</p>
    </main>
  );
}

const Mark = () => (
  <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" className={styles.tile} />
    <path d="M8 22V10l8 7 8-7v12" className={styles.letter} />
  </svg>
);
