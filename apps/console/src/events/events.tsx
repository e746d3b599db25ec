import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Activity, Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { StoreEvent } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { Page } from '../ui/page.tsx';
import { type Column, rowLink, Table } from '../ui/table.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { EventFilters } from './event-filters.tsx';
import { type EventSearch, typesOf } from './event-search.ts';
import styles from './events.module.css';
import { feedQuery, newestQuery } from './queries.ts';

export const route = createLazyRoute('/shell/integrations/events')({ component: Events });

const columns: readonly Column<StoreEvent>[] = [
  {
    key: 'type',
    label: m.events_type(),
    cell: ({ id, type }) => (
      <Link to="." search={(before: object) => ({ ...before, event: id })} replace className={rowLink}>
        <code>{type}</code>
      </Link>
    ),
  },
  {
    key: 'entity',
    label: m.events_entity(),
    wide: true,
    cell: ({ entity }) => (
      <span className={styles.soft}>
        {entity.type} <code>{entity.id}</code>
      </span>
    ),
  },
  { key: 'number', label: m.events_number(), numeric: true, cell: ({ sequence }) => sequence },
  { key: 'when', label: m.events_when(), cell: ({ created_at }) => <Moment at={created_at} relative /> },
];

function Events() {
  const search = useSearch({ from: '/shell/integrations/events' });
  const navigate = useNavigate();
  const change = (part: EventSearch) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace: true });
  const feed = useInfiniteQuery(
    feedQuery({ types: search.type === undefined ? undefined : typesOf(search.type), entity_id: search.entity }),
  );
  const [follows, setFollows] = useState(false);
  const fresh = useFresh(feed, follows);
  const isFiltered = search.type !== undefined || search.entity !== undefined;
  const rows = feed.data?.pages.flatMap((part) => part.rows);
  return (
    <Page
      title={m.events()}
      about={m.events_about()}
      actions={<DocsLink to="/docs/guides/events">{m.events_docs()}</DocsLink>}
    >
      <Toolbar
        end={
          <Button aria-pressed={follows} onClick={() => setFollows(!follows)}>
            <Radio size={14} aria-hidden />
            {follows ? m.events_follows() : m.events_follow()}
          </Button>
        }
      >
        <EventFilters search={search} onChange={change} />
      </Toolbar>
      {!follows && fresh > 0 && (
        <Button className={styles.fresh} busy={feed.isFetchingPreviousPage} onClick={() => feed.fetchPreviousPage()}>
          {m.events_show_new({ count: fresh })}
        </Button>
      )}
      {feed.error && !feed.data ? (
        <LoadFailed error={feed.error} retry={feed.refetch} />
      ) : (
        <div aria-live={follows ? 'polite' : undefined}>
          <Table
            label={m.events()}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            more={feed}
            empty={
              isFiltered ? (
                <Empty icon={Activity} title={m.events_none_title()} text={m.events_none_filtered()}>
                  <Button onClick={() => change({ type: undefined, entity: undefined })}>{m.events_show_all()}</Button>
                </Empty>
              ) : (
                <Empty icon={Activity} title={m.events_none_title()} text={m.events_none_text()} />
              )
            }
          />
        </div>
      )}
      <EventDrawer
        eventId={search.event}
        onClose={() => change({ event: undefined })}
        onEntity={(entity) => change({ entity, event: undefined, type: undefined })}
      />
    </Page>
  );
}

type Feed = {
  readonly data: { readonly pages: readonly { readonly top: number }[] } | undefined;
  readonly isFetching: boolean;
  readonly fetchPreviousPage: () => Promise<unknown>;
};

/** How many events are newer than those that are shown. While it is followed, they are shown at once. */
function useFresh({ data, isFetching, fetchPreviousPage }: Feed, follows: boolean): number {
  const { data: newest } = useQuery(newestQuery);
  const top = data?.pages[0]?.top;
  const fresh = newest === undefined || top === undefined ? 0 : newest - top;
  useEffect(() => {
    if (follows && fresh > 0 && !isFetching) void fetchPreviousPage();
  }, [follows, fresh, isFetching, fetchPreviousPage]);
  return fresh;
}
