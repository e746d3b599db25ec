import { useQuery } from '@tanstack/react-query';
import type { LeadSort } from '../api/platform.ts';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Filter } from '../ui/filter.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { type LeadSearch, otherSorts } from './lead-search.ts';
import styles from './leads.module.css';
import { leadStatuses, wordsOfStatus } from './words.ts';

type LeadFiltersProps = {
  readonly search: LeadSearch;
  readonly onChange: (part: LeadSearch) => void;
  /** How many were found, in words. */
  readonly count: string;
};

/** What is searched for, which leads are shown, and in which order. */
export function LeadFilters({ search, onChange, count }: LeadFiltersProps) {
  const { data: session } = useQuery(sessionQuery);
  const { data: sellers = [] } = useQuery(sellersQuery);
  return (
    <Toolbar end={<span role="status">{count}</span>}>
      <SearchBox
        label={m.leads_search()}
        value={search.q ?? ''}
        maxLength={100}
        onSearch={(text) => onChange({ q: text || undefined })}
      />
      <Filter
        label={m.leads_status()}
        all={m.leads_any_status()}
        value={search.status}
        choices={leadStatuses.map((status) => [status, wordsOfStatus(status)] as const)}
        onChoose={(status) => onChange({ status })}
      />
      {session?.role !== 'seller' && (
        <Filter
          label={m.leads_seller()}
          all={m.leads_any_seller()}
          value={search.seller}
          choices={[['none', m.leads_no_seller()], ...sellers.map(({ id, name }) => [id, name] as const)]}
          onChoose={(seller) => onChange({ seller })}
        />
      )}
      <div className={styles.tagSearch}>
        <SearchBox
          label={m.leads_tag_filter()}
          placeholder={m.leads_tag()}
          value={search.tag ?? ''}
          maxLength={500}
          onSearch={(tag) => onChange({ tag: tag || undefined })}
        />
      </div>
      <Filter
        label={m.leads_sort()}
        all={m.leads_sort_newest()}
        value={search.sort}
        choices={otherSorts.map((sort) => [sort, sorts[sort]()] as const)}
        onChoose={(sort) => onChange({ sort })}
      />
    </Toolbar>
  );
}

const sorts: Readonly<Record<Exclude<LeadSort, '-created_at'>, () => string>> = {
  created_at: m.leads_sort_oldest,
  '-updated_at': m.leads_sort_changed,
  updated_at: m.leads_sort_unchanged,
};
