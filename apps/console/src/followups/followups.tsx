import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CalendarClock, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Followup } from '../api/platform.ts';
import { sessionQuery } from '../api/queries.ts';
import { leadQuery } from '../leads/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Filter } from '../ui/filter.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { StoreTime } from '../ui/moment.tsx';
import { Notice, Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { useCancelling } from './cancelling.ts';
import { NewFollowup } from './followup-form.tsx';
import { FollowupMenu } from './followup-menu.tsx';
import { type FollowupSearch, isDelayed, periods, type State, stateOf } from './followup-state.ts';
import { whyOf } from './followup-status.tsx';
import styles from './followups.module.css';
import { followupsQuery } from './queries.ts';

export const pending = createLazyRoute('/shell/follow-ups')({
  component: function Pending() {
    return <Followups state="pending" search={useSearch({ from: '/shell/follow-ups' })} />;
  },
});

export const others = createLazyRoute('/shell/follow-ups/$state')({
  component: function Others() {
    const { state } = useParams({ from: '/shell/follow-ups/$state' });
    return <Followups state={stateOf(state)} search={useSearch({ from: '/shell/follow-ups/$state' })} />;
  },
});

type FollowupsProps = { readonly state: State; readonly search: FollowupSearch };

function Followups({ state, search }: FollowupsProps) {
  const { data: session } = useQuery(sessionQuery);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.followups_create()}
    </Button>
  );
  if (!session) return null;
  return (
    <Page title={m.followups()} about={m.followups_about()} actions={create}>
      {session.role === 'seller' ? (
        <Notice title={m.followups_seller_title()} text={m.followups_seller_text()}>
          <Link to="/leads">{m.leads()}</Link>
        </Notice>
      ) : (
        <>
          <Tabs
            label={m.followups()}
            tabs={[
              { to: '/follow-ups', label: m.followups_tab_pending() },
              { to: '/follow-ups/$state', params: { state: 'sent' }, label: m.followups_tab_sent() },
              { to: '/follow-ups/$state', params: { state: 'failed' }, label: m.followups_tab_failed() },
              { to: '/follow-ups/$state', params: { state: 'cancelled' }, label: m.followups_tab_cancelled() },
            ]}
          />
          <List key={state} state={state} search={search} />
        </>
      )}
      <NewFollowup open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function List({ state, search }: FollowupsProps) {
  const navigate = useNavigate();
  const list = useInfiniteQuery(followupsQuery(state, search));
  const cancelling = useCancelling();
  const rows = list.data?.pages
    .flatMap((page) => page.rows)
    .filter(({ id }) => state !== 'pending' || !cancelling.has(id));
  if (list.error && !rows) return <LoadFailed error={list.error} retry={list.refetch} />;
  return (
    <>
      {state !== 'pending' && (
        <Toolbar>
          <Filter
            label={m.followups_period()}
            all={m.followups_all_time()}
            value={search.days}
            choices={periods.map((days) => [days, m.followups_last_days({ count: days })] as const)}
            onChoose={(days) => void navigate({ to: '.', search: days ? { days } : {}, replace: true })}
          />
        </Toolbar>
      )}
      <Table
        label={tables[state]()}
        columns={columnsOf(state)}
        rows={rows}
        keyOf={({ id }) => id}
        more={list}
        {...(state === 'pending' && { actions: (followup: Followup) => <FollowupMenu followup={followup} /> })}
        empty={<Empty icon={CalendarClock} title={empties[state]()} text={m.followups_empty_text()} />}
      />
    </>
  );
}

const tables: Readonly<Record<State, () => string>> = {
  pending: m.followups_tab_pending,
  sent: m.followups_tab_sent,
  failed: m.followups_tab_failed,
  cancelled: m.followups_tab_cancelled,
};
const empties: Readonly<Record<State, () => string>> = {
  pending: m.followups_none_pending,
  sent: m.followups_none_sent,
  failed: m.followups_none_failed,
  cancelled: m.followups_none_cancelled,
};

const columnsOf = (state: State): readonly Column<Followup>[] => [
  {
    key: 'lead',
    label: m.followups_lead(),
    cell: ({ lead_id }) => <LeadName leadId={lead_id} />,
  },
  {
    key: 'message',
    label: m.followups_message(),
    wide: true,
    cell: ({ message, appointment_id, reminder }) => (
      <span className={styles.message} dir="auto">
        {reminder && appointment_id && (
          <Link to="/calendar" search={{ appointment: appointment_id }} className={styles.reminder}>
            {m.followups_reminder()}
          </Link>
        )}
        {message}
      </span>
    ),
  },
  { key: 'due', label: m.followups_due(), cell: ({ due_at }) => <StoreTime at={due_at} /> },
  ...(state === 'sent' ? [] : [why(state)]),
];

const why = (state: State): Column<Followup> => ({
  key: 'why',
  label: state === 'pending' ? m.followups_note() : m.followups_why(),
  cell: (followup) =>
    state === 'pending' && isDelayed(followup) && followup.next_attempt_at && !followup.error ? (
      <>
        {m.followups_waits_until()} <StoreTime at={followup.next_attempt_at} />
      </>
    ) : (
      <span className={styles.why}>{whyOf(followup) ?? (state === 'pending' ? conditionsOf(followup) : '')}</span>
    ),
});

/** What would cancel it. */
function conditionsOf({ cancel_on_reply, cancel_on_appointment, reminder }: Followup): string {
  if (reminder) return m.followups_unless_appointment_ends();
  if (cancel_on_reply && cancel_on_appointment) return m.followups_unless_both();
  if (cancel_on_reply) return m.followups_unless_reply();
  return cancel_on_appointment ? m.followups_unless_appointment() : m.followups_in_any_case();
}

function LeadName({ leadId }: { leadId: string }) {
  const { data: read, error } = useQuery(leadQuery(leadId));
  if (!read) return error ? m.followups_lead_gone() : <Skeleton width="short" />;
  return (
    <Link to="/leads/$leadId" params={{ leadId }} className={styles.lead}>
      <bdi>{read.data.name}</bdi>
    </Link>
  );
}
