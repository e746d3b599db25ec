import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Page } from '../ui/page.tsx';
import { type Tab, Tabs } from '../ui/tabs.tsx';

type TeamPageProps = { readonly about: string; readonly actions?: ReactNode; readonly children: ReactNode };

/** One of the parts of the team's screen. Only owners see the audit log. */
export function TeamPage({ about, actions, children }: TeamPageProps) {
  const { data: session } = useQuery(sessionQuery);
  const tabs: Tab[] = [
    { to: '/team', label: m.team_people() },
    { to: '/team/sellers', label: m.team_sellers() },
    ...(session?.role === 'owner' ? [{ to: '/team/audit-log', label: m.team_audit_log() } as const] : []),
  ];
  return (
    <Page title={m.team()} about={about} actions={actions}>
      <Tabs label={m.team()} tabs={tabs} />
      {children}
    </Page>
  );
}
