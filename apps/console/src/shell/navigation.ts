import type { LinkProps } from '@tanstack/react-router';
import { Inbox, KeyRound, type LucideIcon } from 'lucide-react';
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
];

/** The groups that a person with this role sees. */
export const navigationOf = (role: Session['role']): Group[] =>
  groups
    .map(({ label, entries }) => ({ label, entries: entries.filter(({ roles }) => roles?.includes(role) ?? true) }))
    .filter(({ entries }) => entries.length > 0);
