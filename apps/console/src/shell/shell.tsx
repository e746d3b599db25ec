import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, Outlet } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { LoadFailed } from '../ui/load-failed.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { initialsOf, PersonMenu } from './person-menu.tsx';
import styles from './shell.module.css';

export const route = createLazyRoute('/shell')({
  component: Shell,
  errorComponent: LoadFailed,
  notFoundComponent: NotFound,
});

function Shell() {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {m.skip_to_content()}
      </a>
      <header className={styles.side}>
        <div className={styles.store}>
          <span className={styles.tile} aria-hidden>
            {initialsOf(session.store.name)}
          </span>
          <span className={styles.name}>{session.store.name}</span>
        </div>
        <nav className={styles.nav} aria-label={m.navigation()}>
          <h2 className={styles.group}>{m.integrations()}</h2>
          <Link to="/integrations/keys" className={styles.link}>
            <KeyRound size={15} aria-hidden />
            {m.keys()}
          </Link>
        </nav>
        <PersonMenu session={session} />
      </header>
      <main id="content" className={styles.content} tabIndex={-1}>
        <Outlet />
      </main>
      <Toasts />
    </div>
  );
}
