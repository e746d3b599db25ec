import { useQuery } from '@tanstack/react-query';
import { Inbox, Search, SearchX } from 'lucide-react';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { sessionQuery } from '../api/queries.ts';
import { leadStatuses } from '../leads/lead-statuses.ts';
import { wordsOfStatus } from '../leads/words.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Select } from '../ui/select.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ConversationRow } from './conversation-row.tsx';
import { type Filters, type Switch, switches } from './filters.ts';
import styles from './inbox.module.css';
import { sellerChoicesQuery, useConversations } from './inbox-queries.ts';

export type ConversationListHandle = {
  /** Moves the focus by so many rows. */
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
      <SearchField ref={search} text={filters.q ?? ''} onText={(q) => onFilters(withText(filters, q))} />
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

const withText = ({ q: _, ...filters }: Filters, text: string): Filters =>
  text === '' ? filters : { ...filters, q: text };

const pauseMs = 200;

type SearchFieldProps = {
  readonly ref: Ref<HTMLInputElement>;
  readonly text: string;
  readonly onText: (text: string) => void;
};

/** Searches when the person has stopped typing for a moment. */
function SearchField({ ref, text, onText }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const latest = useRef(onText);
  latest.current = onText;
  const said = useRef(text);
  useEffect(() => {
    // The address has changed without this field.
    if (text !== said.current) setTyped(text);
    said.current = text;
  }, [text]);
  useEffect(() => {
    if (typed === said.current) return;
    const timer = setTimeout(() => {
      said.current = typed;
      latest.current(typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className={styles.search}>
      <Search size={14} aria-hidden />
      <input
        ref={ref}
        type="search"
        aria-label={m.inbox_search()}
        placeholder={m.inbox_search()}
        maxLength={100}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
}

const wordsOfSwitch: Readonly<Record<Switch, () => string>> = {
  unread: m.inbox_unread,
  unanswered: m.inbox_unanswered,
  needs_attention: m.inbox_attention,
  ai_paused: m.inbox_ai_paused,
};

function FilterBar({ filters, onFilters }: { filters: Filters; onFilters: (filters: Filters) => void }) {
  const { data: sellers = [] } = useQuery(sellerChoicesQuery);
  const { data: session } = useQuery(sessionQuery);
  const toggle = (name: Switch) => {
    const { [name]: isOn, ...rest } = filters;
    onFilters(isOn ? rest : { ...rest, [name]: true });
  };
  const choose = (name: 'status' | 'seller_id', value: string) => {
    const { [name]: _, ...rest } = filters;
    onFilters(value === '' ? rest : ({ ...rest, [name]: value } as Filters));
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
      <Select
        look="filter"
        className={styles.pick}
        aria-label={m.inbox_status()}
        on={filters.status !== undefined}
        value={filters.status ?? ''}
        onChange={({ target }) => choose('status', target.value)}
      >
        <option value="">{m.inbox_any_status()}</option>
        {leadStatuses.map((status) => (
          <option key={status} value={status}>
            {wordsOfStatus(status)}
          </option>
        ))}
      </Select>
      {session?.role !== 'seller' && (
        <Select
          look="filter"
          className={styles.pick}
          aria-label={m.inbox_seller()}
          on={filters.seller_id !== undefined}
          value={filters.seller_id ?? ''}
          onChange={({ target }) => choose('seller_id', target.value)}
        >
          <option value="">{m.inbox_any_seller()}</option>
          <option value="none">{m.inbox_no_seller()}</option>
          {sellers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </fieldset>
  );
}
