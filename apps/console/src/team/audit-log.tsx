import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import type { AuditEntry } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Empty } from '../ui/empty.tsx';
import { Filter } from '../ui/filter.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { type Column, rowName, Table } from '../ui/table.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { wordsOfDetails } from './audit-details.ts';
import type { AuditSearch } from './audit-search.ts';
import { actionWords, wordsOfAction } from './audit-words.ts';
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
    cell: ({ subject }) => subject.name ?? <code className={styles.soft}>{subject.id}</code>,
  },
  {
    key: 'details',
    label: m.audit_details(),
    wide: true,
    cell: ({ details }) => details && <Details details={details} />,
  },
  {
    key: 'who',
    label: m.team_who(),
    cell: ({ actor }) => whoIs(actor),
  },
  { key: 'where', label: m.team_where(), cell: ({ address }) => <span className={styles.soft}>{address}</span> },
  { key: 'when', label: m.team_when(), cell: ({ at }) => <Moment at={at} relative /> },
];

function whoIs({ kind, name }: AuditEntry['actor']): string {
  if (kind === 'user') return name ?? m.team_former();
  return kind === 'operator' ? m.team_operator() : m.team_unknown_actor();
}

function Details({ details }: { details: NonNullable<AuditEntry['details']> }) {
  const lines = wordsOfDetails(details, useZone());
  return (
    <ul className={styles.details}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Every kind of action, in the order of its words. */
const actionChoices = () =>
  Object.entries(actionWords)
    .map(([action, words]) => [action, words()] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, getLocale()));

function AuditLog() {
  const search = useSearch({ from: '/shell/team/audit-log' });
  const navigate = useNavigate();
  const { data: people = [] } = useQuery(peopleQuery);
  const log = useInfiniteQuery(auditLogQuery(search));
  const choose = (chosen: AuditSearch) => void navigate({ to: '.', search: { ...search, ...chosen }, replace: true });
  return (
    <TeamPage about={m.team_audit_about()}>
      <Toolbar>
        <Filter
          label={m.team_who()}
          value={search.actor}
          choices={people.map(({ id, name }) => [id, name] as const)}
          all={m.team_everyone()}
          onChoose={(chosen) => choose({ actor: chosen })}
        />
        <Filter
          label={m.team_what()}
          value={search.action}
          choices={actionChoices()}
          all={m.audit_everything()}
          onChoose={(chosen) => choose({ action: chosen })}
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
