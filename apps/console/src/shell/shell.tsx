import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, Outlet } from '@tanstack/react-router';
import { CloudOff, Menu, X } from 'lucide-react';
import { type ComponentType, Fragment, type KeyboardEvent, lazy, Suspense, useState } from 'react';
import type { Session } from '../api/platform.ts';
import { sessionQuery } from '../api/queries.ts';
import { useIsLost, useLive } from '../live/live.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { isSameClock, nameOfZone, ownZone } from '../ui/clock.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { StoreZone, useZone } from '../ui/store-zone.tsx';
import { UnsavedGuard } from '../ui/unsaved.tsx';
import { navigationOf } from './navigation.ts';
import { initialsOf, PersonMenu } from './person-menu.tsx';
import styles from './shell.module.css';

/** What is said waits for it, and nothing else does: without network it is tried again. */
async function loadToasts(): Promise<{ default: ComponentType }> {
  try {
    return { default: (await import('../ui/shown-toasts.tsx')).ShownToasts };
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return await loadToasts();
  }
}
const Toasts = lazy(loadToasts);

export const route = createLazyRoute('/shell')({
  component: Shell,
  errorComponent: LoadFailed,
  notFoundComponent: NotFound,
});

function Shell() {
  const { data: session } = useQuery(sessionQuery);
  return session ? <SignedIn session={session} /> : null;
}

function SignedIn({ session }: { session: Session }) {
  useLive(session.store.id);
  return (
    <StoreZone>
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
          <Navigation role={session.role} />
          <Zone />
          <Connection />
          <PersonMenu session={session} />
        </header>
        <main id="content" className={styles.content} tabIndex={-1}>
          <Outlet />
        </main>
        <Suspense>
          <Toasts />
        </Suspense>
        <UnsavedGuard />
      </div>
    </StoreZone>
  );
}

/** Says whose clock the page shows, when it is not that of the person. */
function Zone() {
  const zone = useZone();
  if (isSameClock(zone, ownZone(), Date.now())) return null;
  return <p className={styles.zone}>{m.ui_store_zone({ zone: nameOfZone(zone) })}</p>;
}

/** The way to every screen. Where there is little room, a button opens it. */
function Navigation({ role }: { role: Session['role'] }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLElement>) => {
    if (key !== 'Escape' || !isOpen) return;
    close();
    currentTarget.querySelector('button')?.focus();
  };
  return (
    <nav className={styles.nav} aria-label={m.navigation()} data-open={isOpen} onKeyDown={onKeyDown}>
      <Button
        kind="bare"
        className={styles.toggle}
        aria-label={m.ui_menu()}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? <X size={18} aria-hidden /> : <Menu size={18} aria-hidden />}
      </Button>
      <div className={styles.links}>
        {navigationOf(role).map(({ label, entries }) => (
          <Fragment key={entries[0]?.to}>
            {label && <h2 className={styles.group}>{label()}</h2>}
            {entries.map(({ to, icon: Icon, label: name }) => (
              <Link key={to} to={to} className={styles.link} onClick={close}>
                <Icon size={15} aria-hidden />
                {name()}
              </Link>
            ))}
          </Fragment>
        ))}
      </div>
    </nav>
  );
}

/** Says when the page may be out of date, because it has had no connection for a while. */
function Connection() {
  const isLost = useIsLost();
  return (
    <div role="status" className={styles.connection}>
      {isLost && (
        <>
          <CloudOff size={14} aria-hidden />
          {m.reconnecting()}
        </>
      )}
    </div>
  );
}
