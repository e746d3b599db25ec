import { createLazyRoute, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Inbox as InboxIcon, Keyboard } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { BudgetNotice } from '../ui/budget-notice.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { ConversationList, type ConversationListHandle } from './conversation-list.tsx';
import type { Filters } from './filters.ts';
import styles from './inbox.module.css';
import { useShortcuts } from './shortcuts.ts';

export const route = createLazyRoute('/shell/inbox')({ component: Inbox });

function Inbox() {
  const filters = route.useSearch();
  const { leadId } = useParams({ strict: false });
  const navigate = useNavigate();
  const list = useRef<ConversationListHandle>(null);
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  useEffect(() => {
    if (!leadId) document.title = `${m.inbox()} · Mostrador`;
  }, [leadId]);
  useShortcuts({
    next: () => list.current?.move(1),
    previous: () => list.current?.move(-1),
    search: () => list.current?.focusSearch(),
    write: () => document.querySelector<HTMLTextAreaElement>('[data-thread] textarea')?.focus(),
    back: () => {
      if (leadId) void navigate({ to: '/inbox', search: filters }).then(() => list.current?.focusActive());
    },
    help: () => setShowsShortcuts(true),
  });
  const setFilters = (next: Filters) =>
    void navigate({ to: leadId ? '/inbox/$leadId' : '/inbox', params: { leadId }, search: next, replace: true });
  return (
    <div className={styles.inbox} data-open={leadId !== undefined || undefined}>
      <div className={styles.side}>
        <header className={styles.head}>
          <h1 className={styles.title}>{m.inbox()}</h1>
          <Button
            kind="bare"
            className={styles.keys}
            aria-label={m.inbox_shortcuts()}
            onClick={() => setShowsShortcuts(true)}
          >
            <Keyboard size={16} aria-hidden />
          </Button>
        </header>
        <BudgetNotice />
        <ConversationList ref={list} filters={filters} onFilters={setFilters} openId={leadId} />
      </div>
      <div className={styles.main} data-thread>
        {leadId ? <Outlet /> : <Empty icon={InboxIcon} title={m.inbox_choose_title()} text={m.inbox_choose_text()} />}
      </div>
      <Shortcuts open={showsShortcuts} onClose={() => setShowsShortcuts(false)} />
    </div>
  );
}

const keys = (): readonly (readonly [string, string])[] => [
  ['J  ↓', m.inbox_key_next()],
  ['K  ↑', m.inbox_key_previous()],
  ['Enter', m.inbox_key_open()],
  ['Esc', m.inbox_key_back()],
  ['/', m.inbox_key_search()],
  ['R', m.inbox_key_write()],
  ['?', m.inbox_shortcuts()],
];

const Shortcuts = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Dialog open={open} onClose={onClose} title={m.inbox_shortcuts()}>
    <DialogBody>
      <dl className={styles.keys}>
        {keys().map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </DialogBody>
    <DialogFoot>
      <Button kind="main" onClick={onClose}>
        {m.close()}
      </Button>
    </DialogFoot>
  </Dialog>
);
