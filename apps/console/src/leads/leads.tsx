import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX, Users } from 'lucide-react';
import { useState } from 'react';
import type { Lead, Seller } from '../api/platform.ts';
import { sellersQuery } from '../api/queries.ts';
import { shownData } from '../api/shown-data.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { numberText } from '../ui/numbers.ts';
import { Page } from '../ui/page.tsx';
import { type Column, rowLink, Table } from '../ui/table.tsx';
import { TwoLines } from '../ui/two-lines.tsx';
import { CreateLead } from './create-lead.tsx';
import { LeadFilters } from './lead-filters.tsx';
import { isFiltered, type LeadSearch, queryOf } from './lead-search.ts';
import { LeadStatusBadge } from './lead-status.tsx';
import styles from './leads.module.css';
import { leadsQuery } from './queries.ts';
import { addressOf } from './words.ts';

export const route = createLazyRoute('/shell/leads')({ component: Leads });

function Leads() {
  const search = useSearch({ from: '/shell/leads' });
  const navigate = useNavigate({ from: '/leads' });
  const change = (part: LeadSearch) =>
    void navigate({ to: '/leads', search: (before) => ({ ...before, ...part }), replace: true });
  const leads = useInfiniteQuery(leadsQuery(search));
  const { data: sellers = [] } = useQuery(sellersQuery);
  const [creating, setCreating] = useState(false);
  const rows = shownData(leads)?.pages.flatMap((page) => page.rows);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.leads_create()}
    </Button>
  );
  return (
    <Page title={m.leads()} about={m.leads_about()} actions={(rows?.length !== 0 || isFiltered(search)) && create}>
      <LeadFilters
        search={search}
        onChange={change}
        count={rows && rows.length > 0 ? wordsOfCount(leads.data?.pages[0]?.total, search) : ''}
      />
      {leads.error && !rows ? (
        <LoadFailed error={leads.error} retry={leads.refetch} />
      ) : (
        <Table
          label={m.leads()}
          columns={columnsOf(sellers, search, (tag) => change({ tag }))}
          rows={rows}
          keyOf={({ id }) => id}
          more={leads}
          empty={
            isFiltered(search) ? (
              <Empty icon={SearchX} title={m.leads_none_title()} text={m.leads_none_text()}>
                <Button onClick={() => void navigate({ to: '/leads', replace: true })}>{m.leads_show_all()}</Button>
              </Empty>
            ) : (
              <Empty icon={Users} title={m.leads_empty_title()} text={m.leads_empty_text()}>
                {create}
              </Empty>
            )
          }
        />
      )}
      <CreateLead open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}

/** A search stops counting here. */
const mostCounted = 1_000;

function wordsOfCount(total: number | undefined, search: LeadSearch): string {
  if (total === undefined) return '';
  if (total === 1) return m.leads_one();
  const count = numberText(total);
  return queryOf(search).q && total >= mostCounted ? m.leads_count_least({ count }) : m.leads_count({ count });
}

const columnsOf = (
  sellers: readonly Seller[],
  search: LeadSearch,
  onTag: (tag: string) => void,
): readonly Column<Lead>[] => [
  {
    key: 'name',
    label: m.leads_name(),
    wide: true,
    cell: (lead) => (
      <TwoLines below={addressOf(lead)}>
        <Link to="/leads/$leadId" params={{ leadId: lead.id }} className={rowLink}>
          <bdi>{lead.name}</bdi>
        </Link>
      </TwoLines>
    ),
  },
  { key: 'status', label: m.leads_status(), cell: ({ status }) => <LeadStatusBadge status={status} /> },
  {
    key: 'seller',
    label: m.leads_seller(),
    cell: ({ seller_id }) => {
      if (seller_id === null) return <span className={styles.soft}>{m.leads_no_seller()}</span>;
      const seller = sellers.find(({ id }) => id === seller_id);
      return seller ? <bdi>{seller.name}</bdi> : m.leads_other_seller();
    },
  },
  {
    key: 'tags',
    label: m.leads_tags(),
    cell: ({ tags }) =>
      tags.length > 0 && (
        <span className={styles.tags}>
          {tags.slice(0, shownTags).map((tag) => (
            <button
              key={tag}
              type="button"
              className={styles.tag}
              title={m.leads_only_tag({ tag })}
              onClick={() => onTag(tag)}
            >
              <bdi>{tag}</bdi>
            </button>
          ))}
          {tags.length > shownTags && (
            <span className={styles.soft} title={tags.slice(shownTags).join(', ')}>
              +{tags.length - shownTags}
            </span>
          )}
        </span>
      ),
  },
  { key: 'messages', label: m.leads_messages(), numeric: true, cell: ({ interaction_count }) => interaction_count },
  // The moment by which the list is ordered.
  search.sort?.endsWith('updated_at')
    ? { key: 'moment', label: m.leads_updated(), cell: ({ updated_at }) => <Moment at={updated_at} relative /> }
    : { key: 'moment', label: m.leads_created(), cell: ({ created_at }) => <Moment at={created_at} relative /> },
];

const shownTags = 2;
