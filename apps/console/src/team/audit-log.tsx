import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import type { AuditEntry } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Empty } from '../ui/empty.tsx';
import { Filter } from '../ui/filter.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { type Column, rowName, Table } from '../ui/table.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { wordsOfAction } from './audit-words.ts';
import { auditLogQuery, peopleQuery } from './queries.ts';
import styles from './team.module.css';
import { TeamPage } from './team-page.tsx';

export const route = createLazyRoute('/shell/team/audit-log')({ component: AuditLog });

const columns: readonly Column<AuditEntry>[] = [
  {
    key: 'what',
    label: m.team_what(),
    cell: ({ action }) => <span className={rowName}>{wordsOfAction(action)}</span>,
  },
  {
    key: 'subject',
    label: m.team_on(),
    wide: true,
    cell: ({ subject }) => subject.name ?? <code className={styles.soft}>{subject.id}</code>,
  },
  {
    key: 'who',
    label: m.team_who(),
    cell: ({ actor }) => (actor.kind === 'operator' ? m.team_operator() : (actor.name ?? m.team_former())),
  },
  { key: 'where', label: m.team_where(), cell: ({ address }) => <span className={styles.soft}>{address}</span> },
  { key: 'when', label: m.team_when(), cell: ({ at }) => <Moment at={at} relative /> },
];

function AuditLog() {
  const { actor } = useSearch({ from: '/shell/team/audit-log' });
  const navigate = useNavigate();
  const { data: people = [] } = useQuery(peopleQuery);
  const log = useInfiniteQuery(auditLogQuery(actor));
  return (
    <TeamPage about={m.team_audit_about()}>
      <Toolbar>
        <Filter
          label={m.team_who()}
          value={actor}
          choices={people.map(({ id, name }) => [id, name] as const)}
          all={m.team_everyone()}
          onChoose={(chosen) => void navigate({ to: '.', search: { actor: chosen }, replace: true })}
        />
      </Toolbar>
      {log.error && !log.data ? (
        <LoadFailed error={log.error} retry={log.refetch} />
      ) : (
        <Table
          label={m.team_audit_log()}
          columns={columns}
          rows={log.data?.pages.flatMap(({ data }) => data)}
          keyOf={({ id }) => id}
          more={log}
          empty={<Empty icon={ScrollText} title={m.team_no_entries_title()} text={m.team_no_entries_text()} />}
        />
      )}
    </TeamPage>
  );
}
