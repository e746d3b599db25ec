import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, KeyRound, LogOut, MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import { hasWayBack } from '../account/way-back.ts';
import { dataOf, platform, type Session } from '../api/platform.ts';
import { credentialsQuery, queries, storesQuery } from '../api/queries.ts';
import { tellOfSession } from '../api/session.ts';
import { closeOwn } from '../inbox/own-storage.ts';
import { m } from '../paraglide/messages.js';
import { getLocale, locales, setLocale } from '../paraglide/runtime.js';
import { Button, buttonLook } from '../ui/button.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { sayFailure } from '../ui/toasts.tsx';
import { leavePage } from '../ui/unsaved.tsx';
import styles from './shell.module.css';
import { chooseTheme, currentTheme, type Theme } from './theme.ts';

/** Loads another page, so that nothing of this person and store stays: here, and in the other tabs. */
function leaveTo(path: string): void {
  tellOfSession();
  location.assign(path);
}

type Locale = (typeof locales)[number];
const ownNames: Record<Locale, string> = { en: 'English', es: 'Español', 'pt-BR': 'Português' };
const roles = { owner: m.role_owner, manager: m.role_manager, seller: m.role_seller };

/** Who is signed in, and what they choose for themselves in this browser. */
export function PersonMenu({ session: { user, role, store } }: { session: Session }) {
  const [theme, setTheme] = useState(currentTheme);
  const [asks, setAsks] = useState(false);
  const signOut = useMutation({
    mutationFn: () => dataOf(platform.DELETE('/session')),
    onSuccess: () => {
      closeOwn();
      leaveTo('/console/login');
    },
    onError: sayFailure,
  });
  const ask = useMutation({
    mutationFn: () => queries.fetchQuery({ ...credentialsQuery, staleTime: 0 }),
    onSuccess: (credentials) => (hasWayBack(credentials) ? signOut.mutate() : setAsks(true)),
    // Who wants to go may go.
    onError: () => signOut.mutate(),
  });
  const { data: stores = [] } = useQuery(storesQuery);
  const goTo = useMutation({
    mutationFn: (store_id: string) => dataOf(platform.POST('/session/store', { body: { store_id } })),
    onSuccess: () => leaveTo('/console/'),
    onError: sayFailure,
  });
  const choose = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  const trigger = (
    <button type="button" className={styles.person}>
      <span className={styles.avatar} aria-hidden>
        {initialsOf(user.name)}
      </span>
      <span className={styles.who}>
        <span className={styles.name}>{user.name}</span>
        <span className={styles.role}>{roles[role]()}</span>
      </span>
      <ChevronsUpDown size={14} aria-hidden />
    </button>
  );
  return (
    <>
      <Menu trigger={trigger} side="top" align="start">
        <MenuItem icon={<MonitorSmartphone size={14} />} render={<Link to="/account/sessions" />}>
          {m.sessions()}
        </MenuItem>
        <MenuItem icon={<KeyRound size={14} />} render={<Link to="/account/security" />}>
          {m.security()}
        </MenuItem>
        <MenuSeparator />
        {stores.length > 1 && (
          <>
            <MenuChoice
              label={m.store()}
              value={store.id}
              choices={stores.map(({ id, name }) => [id, name] as const)}
              onChoose={(id) => id !== store.id && leavePage(() => goTo.mutate(id))}
            />
            <MenuSeparator />
          </>
        )}
        <MenuChoice
          label={m.language()}
          value={getLocale()}
          choices={locales.map((locale) => [locale, ownNames[locale]] as const)}
          onChoose={(locale) => leavePage(() => setLocale(locale))}
        />
        <MenuSeparator />
        <MenuChoice
          label={m.theme()}
          value={theme}
          choices={[
            ['system', m.theme_system()],
            ['light', m.theme_light()],
            ['dark', m.theme_dark()],
          ]}
          onChoose={choose}
        />
        <MenuSeparator />
        <MenuItem icon={<LogOut size={14} />} onClick={() => leavePage(() => ask.mutate())}>
          {m.sign_out()}
        </MenuItem>
      </Menu>
      <NoWayBack open={asks} onClose={() => setAsks(false)} busy={signOut.isPending} onSignOut={signOut.mutate} />
    </>
  );
}

type NoWayBackProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly busy: boolean;
  readonly onSignOut: () => void;
};

/** Asks before a person signs out who could not come back. */
const NoWayBack = ({ open, onClose, busy, onSignOut }: NoWayBackProps) => (
  <Dialog open={open} onClose={onClose} title={m.way_back_title()} about={m.way_back_text()}>
    <DialogFoot>
      <Button onClick={onClose}>{m.cancel()}</Button>
      <Button kind="danger" busy={busy} onClick={onSignOut}>
        {m.way_back_leave()}
      </Button>
      <Link to="/account/security" {...buttonLook('main')} onClick={onClose}>
        {m.way_back_make()}
      </Link>
    </DialogFoot>
  </Dialog>
);

export const initialsOf = (name: string): string => {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '')
    .join('');
};
