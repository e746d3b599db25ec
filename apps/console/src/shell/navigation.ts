import type { LinkProps } from '@tanstack/react-router';
import { Activity, Inbox, KeyRound, Webhook, type LucideIcon } from 'lucide-react';
import type { Session } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

type Entry = {
  readonly to: LinkProps['to'];
  readonly icon: LucideIcon;
  readonly label: () => string;
  /** Who sees it. Default: every role. */
  readonly roles?: readonly Session['role'][];
};
type Group = { readonly label?: () => string; readonly entries: readonly Entry[] };

/** The screens in the order of the navigation. */
const groups: readonly Group[] = [
  { entries: [{ to: '/inbox', icon: Inbox, label: m.inbox }] },
  { label: m.integrations, entries: [{ to: '/integrations/keys', icon: KeyRound, label: m.keys, roles: ['owner'] }] },
  {
    label: m.integrations,
    entries: [
      { to: '/integrations/keys', icon: KeyRound, label: m.keys, roles: ['owner'] },
      { to: '/integrations/webhooks', icon: Webhook, label: m.webhooks, roles: ['owner'] },
      { to: '/integrations/events', icon: Activity, label: m.events, roles: ['owner', 'manager'] },
    ],
  },
];

/** The groups that a person with this role sees. */
export const navigationOf = (role: Session['role']): Group[] =>
  groups
    .map(({ label, entries }) => ({ label, entries: entries.filter(({ roles }) => roles?.includes(role) ?? true) }))
    .filter(({ entries }) => entries.length > 0);
