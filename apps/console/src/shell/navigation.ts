import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  BookOpen,
  Bot,
  Cable,
  CalendarDays,
  ChartColumn,
  Clock,
  Inbox,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Settings,
  UserRound,
  UsersRound,
  Webhook,
} from 'lucide-react';
import type { Session } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

type Role = Session['role'];
type Entry = {
  readonly to: LinkProps['to'];
  readonly icon: LucideIcon;
  readonly label: () => string;
  /** Who sees it. Default: every role. */
  readonly roles?: readonly Role[];
};
type Group = { readonly label?: () => string; readonly entries: readonly Entry[] };

const owner: readonly Role[] = ['owner'];
const leaders: readonly Role[] = ['owner', 'manager'];

/** The screens in the order of the navigation. */
const groups: readonly Group[] = [
  {
    entries: [
      { to: '/inbox', icon: Inbox, label: m.inbox },
      { to: '/leads', icon: UserRound, label: m.leads },
      { to: '/calendar', icon: CalendarDays, label: m.calendar_title },
      { to: '/follow-ups', icon: Clock, label: m.followups, roles: leaders },
    ],
  },
  {
    label: m.nav_assistant,
    entries: [
      { to: '/agents', icon: Bot, label: m.agents },
      { to: '/knowledge', icon: BookOpen, label: m.knowledge },
    ],
  },
  {
    label: m.nav_store,
    entries: [
      { to: '/reports', icon: ChartColumn, label: m.reports, roles: leaders },
      { to: '/team', icon: UsersRound, label: m.team, roles: leaders },
      { to: '/operations', icon: ListChecks, label: m.operations, roles: owner },
      { to: '/settings', icon: Settings, label: m.settings, roles: leaders },
    ],
  },
  {
    label: m.integrations,
    entries: [
      { to: '/integrations/keys', icon: KeyRound, label: m.keys, roles: owner },
      { to: '/integrations/webhooks', icon: Webhook, label: m.webhooks, roles: owner },
      { to: '/integrations/events', icon: Activity, label: m.events, roles: leaders },
      { to: '/integrations/connections', icon: Cable, label: m.connections, roles: leaders },
    ],
  },
];

/** The groups that a person with this role sees. */
export const navigationOf = (role: Role): Group[] =>
  groups
    .map(({ label, entries }) => ({ label, entries: entries.filter(({ roles }) => roles?.includes(role) ?? true) }))
    .filter(({ entries }) => entries.length > 0);
