import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  CalendarDays,
  CircleCheck,
  Ellipsis,
  ExternalLink,
  MessageCircle,
  RotateCw,
  Trash2,
  Webhook,
} from 'lucide-react';
import { useState } from 'react';
import type { WaitingItem } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Filter } from '../ui/filter.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Moment } from '../ui/moment.tsx';
import { Bad, Page } from '../ui/page.tsx';
import { type Column, cellBadges, rowName, Table } from '../ui/table.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { ChangeDialog, type Question } from './change-dialog.tsx';
import { choicesOf } from './change-waiting.ts';
import styles from './operations.module.css';
import { waitingKinds } from './operations-search.ts';
import { environmentQuery, waitingQuery } from './queries.ts';
import { kindsWords, kindWords, missingWords, reasonWords } from './waiting-words.ts';

export const route = createLazyRoute('/shell/operations')({ component: Operations });

const forAPerson: readonly WaitingItem['reason'][] = [
  'not_connected',
  'needs_attention',
  'unknown_outcome',
  'restored',
  'endpoint_paused',
  'endpoint_disabled',
];

/** What is mended in the connections. */
const inConnections: readonly WaitingItem['reason'][] = ['not_connected', 'needs_attention'];

const columns: readonly Column<WaitingItem>[] = [
  {
    key: 'kind',
    label: m.operations_what(),
    cell: ({ kind, reason }) => (
      <span className={cellBadges}>
        <span className={rowName}>{kindWords[kind]()}</span>
        {forAPerson.includes(reason) && <Badge kind="bad">{m.operations_for_you()}</Badge>}
      </span>
    ),
  },
  {
    key: 'why',
    label: m.operations_why(),
    wide: true,
    cell: ({ reason, detail }) => (
      <div className={styles.why} title={detail}>
        {reasonWords[reason]()}
        {inConnections.includes(reason) && (
          <>
            {' '}
            <Link to="/integrations/connections">{m.connections()}</Link>
          </>
        )}
      </div>
    ),
  },
  { key: 'since', label: m.operations_since(), cell: ({ since }) => <Moment at={since} relative /> },
  {
    key: 'until',
    label: m.operations_until(),
    cell: ({ until }) => (until ? <Moment at={until} relative /> : <span className={styles.soft}>–</span>),
  },
  { key: 'attempts', label: m.operations_attempts(), numeric: true, cell: ({ attempts }) => attempts },
];

function Operations() {
  const { kind } = useSearch({ from: '/shell/operations' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(waitingQuery(kind));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [question, setQuestion] = useState<Question>();
  const rows = list.data?.pages.flatMap(({ data }) => data);
  const marked = rows?.filter(({ id }) => chosen.has(id)) ?? [];
  const unavailable = list.data?.pages[0]?.unavailable ?? [];
  const ask = (act: Question['act']) =>
    setQuestion({ act, choices: marked.length > 0 || !kind ? choicesOf(marked) : [{ kind }] });
  const mayAct = marked.length > 0 || (kind !== undefined && rows !== undefined && rows.length > 0);
  return (
    <Page title={m.operations()} about={m.operations_about()}>
      <Toolbar
        end={
          mayAct && (
            <>
              <span aria-live="polite">
                {marked.length > 0 ? m.operations_chosen({ count: marked.length }) : m.operations_all_of_kind()}
              </span>
              <Button onClick={() => ask('retry')}>
                <RotateCw size={14} aria-hidden />
                {m.operations_retry()}
              </Button>
              <Button onClick={() => ask('give_up')}>
                <Trash2 size={14} aria-hidden />
                {m.operations_give_up()}
              </Button>
            </>
          )
        }
      >
        <Filter
          label={m.operations_what()}
          value={kind}
          choices={waitingKinds.map((each) => [each, kindsWords[each]()] as const)}
          all={m.operations_everything()}
          onChoose={(next) => {
            setChosen(new Set());
            void navigate({ to: '.', search: { kind: next }, replace: true });
          }}
        />
      </Toolbar>
      {unavailable.length > 0 && <Bad>{m.operations_unavailable({ names: missingWords(unavailable) })}</Bad>}
      {list.error && !list.data ? (
        <LoadFailed error={list.error} retry={list.refetch} />
      ) : (
        <Table
          label={m.operations()}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          more={list}
          selection={{ chosen, onChoose: setChosen, nameOf: ({ kind: each, id }) => `${kindWords[each]()} ${id}` }}
          actions={(item) => <ItemMenu item={item} onAsk={setQuestion} />}
          empty={<Empty icon={CircleCheck} title={m.operations_none_title()} text={m.operations_none_text()} />}
        />
      )}
      <ChangeDialog
        question={question}
        onClose={() => {
          setQuestion(undefined);
          setChosen(new Set());
        }}
      />
    </Page>
  );
}

function ItemMenu({ item, onAsk }: { item: WaitingItem; onAsk: (question: Question) => void }) {
  const { data: environment } = useQuery(environmentQuery);
  const { workflow_id, kind, id, lead_id, endpoint_id } = item;
  const workflow =
    environment?.workflows_url && workflow_id && `${environment.workflows_url}/${encodeURIComponent(workflow_id)}`;
  return (
    <Menu
      trigger={
        <Button kind="bare" aria-label={m.operations_actions({ what: `${kindWords[kind]()} ${id}` })}>
          <Ellipsis size={16} aria-hidden />
        </Button>
      }
    >
      <MenuItem icon={<RotateCw size={14} />} onClick={() => onAsk({ act: 'retry', choices: choicesOf([item]) })}>
        {m.operations_retry()}
      </MenuItem>
      {kind === 'calendar_sync' && (
        <MenuItem icon={<CalendarDays size={14} />} render={<Link to="/calendar" search={{ appointment: id }} />}>
          {m.operations_open_appointment()}
        </MenuItem>
      )}
      {endpoint_id && (
        <MenuItem
          icon={<Webhook size={14} />}
          render={<Link to="/integrations/webhooks/$endpointId" params={{ endpointId: endpoint_id }} />}
        >
          {m.operations_open_endpoint()}
        </MenuItem>
      )}
      {lead_id && (
        <MenuItem icon={<MessageCircle size={14} />} render={<Link to="/inbox/$leadId" params={{ leadId: lead_id }} />}>
          {m.operations_open_lead()}
        </MenuItem>
      )}
      {workflow && (
        <MenuItem icon={<ExternalLink size={14} />} render={<a href={workflow} target="_blank" rel="noreferrer" />}>
          {m.operations_workflow()}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem
        icon={<Trash2 size={14} />}
        danger
        onClick={() => onAsk({ act: 'give_up', choices: choicesOf([item]) })}
      >
        {m.operations_give_up()}
      </MenuItem>
    </Menu>
  );
}
