import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { Person, Seller } from '../api/platform.ts';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { type Column, rowName, Table } from '../ui/table.tsx';
import { TwoLines } from '../ui/two-lines.tsx';
import { InvitePerson } from './invite-person.tsx';
import { PersonActions } from './person-actions.tsx';
import { peopleQuery } from './queries.ts';
import { roleWords } from './roles.ts';
import styles from './team.module.css';
import { TeamPage } from './team-page.tsx';

export const route = createLazyRoute('/shell/team')({ component: People });

function People() {
  const { data: session } = useQuery(sessionQuery);
  const { data: people, error, refetch } = useQuery(peopleQuery);
  const { data: sellers = [] } = useQuery(sellersQuery);
  const [inviting, setInviting] = useState(false);
  const isOwner = session?.role === 'owner';
  const invite = isOwner && (
    <Button kind="main" onClick={() => setInviting(true)}>
      <UserPlus size={14} aria-hidden />
      {m.team_invite()}
    </Button>
  );
  return (
    <TeamPage about={m.team_people_about()} actions={invite}>
      {error && !people ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <Table
          label={m.team_people()}
          columns={columnsFor(session?.user.id, sellers)}
          rows={people}
          keyOf={({ id }) => id}
          actions={isOwner ? (person) => <PersonActions person={person} sellers={sellers} /> : undefined}
          empty={<Empty icon={Users} title={m.team_none_title()} text={m.team_none_text()} />}
        />
      )}
      <InvitePerson sellers={sellers} open={inviting} onClose={() => setInviting(false)} />
    </TeamPage>
  );
}

/** Who was invited in the last 30 days and was not seen in them has never come. */
const isNew = (created_at: string) => Date.now() - Date.parse(created_at) < 30 * 86_400_000;

const columnsFor = (own: string | undefined, sellers: readonly Seller[]): readonly Column<Person>[] => [
  {
    key: 'name',
    label: m.team_name(),
    wide: true,
    cell: ({ id, name, email, disabled_at }) => (
      <TwoLines below={email}>
        <span className={styles.name}>
          <span className={rowName}>{name}</span>
          {id === own && <Badge>{m.team_you()}</Badge>}
          {disabled_at && <Badge kind="bad">{m.team_disabled()}</Badge>}
        </span>
      </TwoLines>
    ),
  },
  { key: 'role', label: m.team_role(), cell: ({ role }) => roleWords[role]() },
  {
    key: 'seller',
    label: m.team_seller(),
    cell: ({ seller_id }) =>
      sellers.find(({ id }) => id === seller_id)?.name ?? <span className={styles.soft}>{m.team_no_seller()}</span>,
  },
  {
    key: 'seen',
    label: m.team_last_seen(),
    cell: ({ last_seen_at, created_at }) =>
      last_seen_at ? (
        <Moment at={last_seen_at} relative />
      ) : (
        <span className={styles.soft}>{isNew(created_at) ? m.team_not_yet_seen() : m.team_not_seen()}</span>
      ),
  },
];
