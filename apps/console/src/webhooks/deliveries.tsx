import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import type { WebhookDelivery } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Empty } from '../ui/empty.tsx';
import { Filter } from '../ui/filter.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { type Column, rowLink, Table } from '../ui/table.tsx';
import { statusKinds, statusWords, wordsOfError } from './delivery-words.ts';
import { deliveryStatuses } from './endpoint-search.ts';
import { deliveriesQuery } from './queries.ts';
import styles from './webhooks.module.css';

type Status = WebhookDelivery['status'];

const columns: readonly Column<WebhookDelivery>[] = [
  {
    key: 'event',
    label: m.webhooks_event(),
    cell: ({ id, event_type }) => (
      <Link to="." search={(before: object) => ({ ...before, delivery: id })} replace className={rowLink}>
        {event_type}
      </Link>
    ),
  },
  {
    key: 'status',
    label: m.webhooks_state(),
    cell: ({ status }) => <Badge kind={statusKinds[status]}>{statusWords[status]()}</Badge>,
  },
  {
    key: 'why',
    label: m.webhooks_outcome(),
    wide: true,
    cell: ({ error, status, next_attempt_at }) => (
      <span className={styles.soft}>
        {error ? wordsOfError(error) : status === 'succeeded' ? m.webhooks_accepted() : ''}
        {status === 'pending' && next_attempt_at && (
          <>
            {error && ' · '}
            {m.webhooks_next_attempt()} <Moment at={next_attempt_at} as="coming" />
          </>
        )}
      </span>
    ),
  },
  { key: 'attempts', label: m.webhooks_attempts(), numeric: true, cell: ({ attempts }) => attempts },
  { key: 'created', label: m.webhooks_when(), cell: ({ created_at }) => <Moment at={created_at} as="log" /> },
];

type DeliveriesProps = {
  readonly endpointId: string;
  readonly status: Status | undefined;
  readonly onFilter: (status: Status | undefined) => void;
};

/** What was sent to an endpoint, the newest first. */
export function Deliveries({ endpointId, status, onFilter }: DeliveriesProps) {
  const query = useInfiniteQuery(deliveriesQuery(endpointId, status));
  return (
    <section className={styles.section} aria-labelledby="deliveries">
      <div className={styles.sectionHead}>
        <h2 id="deliveries">{m.webhooks_deliveries()}</h2>
        <Filter
          label={m.webhooks_state()}
          value={status}
          choices={deliveryStatuses.map((each) => [each, statusWords[each]()] as const)}
          all={m.webhooks_all_deliveries()}
          onChoose={onFilter}
        />
      </div>
      {query.error && !query.data ? (
        <LoadFailed error={query.error} retry={query.refetch} />
      ) : (
        <Table
          label={m.webhooks_deliveries()}
          columns={columns}
          rows={query.data?.pages.flatMap(({ rows }) => rows)}
          keyOf={({ id }) => id}
          more={query}
          empty={
            status ? (
              <Empty icon={Inbox} title={m.webhooks_none_title()} text={m.webhooks_none_filtered()} />
            ) : (
              <Empty icon={Inbox} title={m.webhooks_none_title()} text={m.webhooks_none_text()} />
            )
          }
        />
      )}
    </section>
  );
}
