import { useQuery } from '@tanstack/react-query';
import { Inbox, SearchX } from 'lucide-react';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { leadStatuses, wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Filter } from '../ui/filter.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ConversationRow } from './conversation-row.tsx';
import { type Filters, type Switch, switches } from './filters.ts';
import styles from './inbox.module.css';
import { useConversations } from './inbox-queries.ts';

export type ConversationListHandle = {
  /** Moves the focus by this many rows. */
  move(by: number): void;
  focusActive(): void;
  focusSearch(): void;
};

type ConversationListProps = {
  readonly ref: Ref<ConversationListHandle>;
  readonly filters: Filters;
  readonly onFilters: (filters: Filters) => void;
  readonly openId: string | undefined;
};

export function ConversationList({ ref, filters, onFilters, openId }: ConversationListProps) {
  const { items, error, refetch, readMore, hasMore, moreFailed } = useConversations(filters);
  const [activeId, setActiveId] = useState(openId);
  const list = useRef<VirtuosoHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (openId) setActiveId(openId);
  }, [openId]);
  const shown = JSON.stringify(filters);
  useEffect(() => {
    if (shown) list.current?.scrollTo({ top: 0 });
  }, [shown]);
  const indexOf = (id: string | undefined) => items?.findIndex(({ lead }) => lead.id === id) ?? -1;
  const focusRow = (index: number) => {
    const id = items?.[index]?.lead.id;
    if (id === undefined) return;
    setActiveId(id);
    list.current?.scrollIntoView({
      index,
      done: () => frame.current?.querySelector<HTMLElement>(`[data-lead="${id}"]`)?.focus(),
    });
  };
  useImperativeHandle(ref, () => ({
    move(by) {
      const at = indexOf(activeId);
      const isFocused = frame.current?.contains(document.activeElement);
      // The first press brings the focus back to where it was.
      const next = at === -1 ? 0 : isFocused || openId ? at + by : at;
      focusRow(Math.min(Math.max(next, 0), (items?.length ?? 1) - 1));
    },
    focusActive: () => focusRow(Math.max(0, indexOf(activeId))),
    focusSearch: () => search.current?.focus(),
  }));
  const isFiltered = Object.keys(filters).length > 0;
  const tabStop = indexOf(activeId) === -1 ? items?.[0]?.lead.id : activeId;
  return (
    <>
      <div className={styles.search}>
        <SearchBox
          ref={search}
          label={m.inbox_search()}
          value={filters.q ?? ''}
          maxLength={100}
          onSearch={(q) => onFilters(withChoice(filters, 'q', q))}
        />
      </div>
      <FilterBar filters={filters} onFilters={onFilters} />
      {filters.unanswered && <p className={styles.order}>{m.inbox_longest_first()}</p>}
      <div ref={frame} className={styles.rows}>
        {items === undefined ? (
          error ? (
            <LoadFailed error={error} retry={refetch} />
          ) : (
            <Loading />
          )
        ) : items.length === 0 ? (
          isFiltered ? (
            <Empty icon={SearchX} title={m.inbox_none_title()} text={m.inbox_none_text()}>
              <Button onClick={() => onFilters({})}>{m.inbox_all()}</Button>
            </Empty>
          ) : (
            <Empty icon={Inbox} title={m.inbox_empty_title()} text={m.inbox_empty_text()} />
          )
        ) : (
          <Virtuoso
            ref={list}
            role="group"
            aria-label={m.inbox_conversations()}
            className={styles.scroller}
            data={items}
            tabIndex={-1}
            endReached={() => void readMore()}
            increaseViewportBy={300}
            computeItemKey={(_, { lead }) => lead.id}
            itemContent={(_, conversation) => (
              <ConversationRow
                conversation={conversation}
                filters={filters}
                isOpen={conversation.lead.id === openId}
                isTabStop={conversation.lead.id === tabStop}
                onFocus={() => setActiveId(conversation.lead.id)}
              />
            )}
            components={hasMore ? withFooter : {}}
            context={{ failed: moreFailed !== undefined, retry: () => void readMore() }}
          />
        )}
      </div>
    </>
  );
}

type FooterProps = { readonly context: { readonly failed: boolean; readonly retry: () => void } };

const withFooter = {
  Footer: ({ context: { failed, retry } }: FooterProps) => (
    <div className={styles.more}>
      {failed ? <Button onClick={retry}>{m.try_again()}</Button> : <Skeleton width="long" />}
    </div>
  ),
};

const Loading = () => (
  <div className={styles.loading} aria-busy="true" role="status" aria-label={m.inbox_loading()}>
    {[1, 2, 3, 4, 5, 6].map((row) => (
      <div key={row} className={styles.loadingRow}>
        <Skeleton width="long" />
        <Skeleton width="full" />
      </div>
    ))}
  </div>
);

function withChoice(filters: Filters, name: 'q' | 'status' | 'seller_id', value: string | undefined): Filters {
  const { [name]: _, ...others } = filters;
  return value ? ({ ...others, [name]: value } as Filters) : others;
}

const wordsOfSwitch: Readonly<Record<Switch, () => string>> = {
  unread: m.inbox_unread,
  unanswered: m.inbox_unanswered,
  needs_attention: m.inbox_attention,
  ai_paused: m.inbox_ai_paused,
};

function FilterBar({ filters, onFilters }: { filters: Filters; onFilters: (filters: Filters) => void }) {
  const { data: sellers = [] } = useQuery(sellersQuery);
  const { data: session } = useQuery(sessionQuery);
  const toggle = (name: Switch) => {
    const { [name]: isOn, ...rest } = filters;
    onFilters(isOn ? rest : { ...rest, [name]: true });
  };
  return (
    <fieldset className={styles.filters}>
      <legend className={styles.heard}>{m.inbox_filters()}</legend>
      {switches.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.chip}
          aria-pressed={filters[name] === true}
          onClick={() => toggle(name)}
        >
          {wordsOfSwitch[name]()}
        </button>
      ))}
      <Filter
        className={styles.pick}
        label={m.leads_status()}
        all={m.inbox_any_status()}
        value={filters.status}
        choices={leadStatuses.map((status) => [status, wordsOfStatus(status)] as const)}
        onChoose={(status) => onFilters(withChoice(filters, 'status', status))}
      />
      {session?.role !== 'seller' && (
        <Filter
          className={styles.pick}
          label={m.leads_seller()}
          all={m.inbox_any_seller()}
          value={filters.seller_id}
          choices={[['none', m.leads_no_seller()], ...sellers.map(({ id, name }) => [id, name] as const)]}
          onChoose={(id) => onFilters(withChoice(filters, 'seller_id', id))}
        />
      )}
    </fieldset>
  );
}
