import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { CountOptions, OverdueOptions } from '@mostrador/kit/step/overdue';
import type { EndpointRow } from './endpoint.ts';

// What jobs and gauges ask about the endpoints of all stores.

/** The name of an endpoint, for the jobs that look at all stores. */
export type NamedEndpoint = { readonly store_id: string; readonly id: string };
export type OverdueEndpoint = NamedEndpoint;
export type EndpointToSend = NamedEndpoint & { readonly sender: EndpointRow['sender'] };

/** Stores and endpoints that a look leaves out. */
type LeftOut = { readonly stores: readonly string[]; readonly endpoints: readonly string[] };

/** Endpoints for which the service itself sends, and which are due, the longest due first. */
export const findDueEndpoints = (sql: Sql, { stores, endpoints }: LeftOut, limit: number) => sql<EndpointToSend[]>`
  select store_id, id, sender from webhook_endpoints
  where sender = 'service' and due_at <= now() and deleted_at is null
    and store_id <> all(${[...stores]}::uuid[]) and id <> all(${[...endpoints]}::uuid[])
  order by due_at limit ${limit}`;

/** Endpoints whose feed has grown, or which have a replay: of these stores, or of all. Each table is read once. */
export const findUnplanned = (sql: Sql, storeIds: readonly string[] | null) => {
  const enabled = sql`
    e.status = 'enabled' and e.deleted_at is null
    ${storeIds === null ? sql`` : sql`and e.store_id = any(${[...storeIds]}::uuid[])`}`;
  return sql<EndpointToSend[]>`
    select e.store_id, e.id, e.sender from webhook_endpoints e
    join feeds f on f.store_id = e.store_id and f.last_sequence > e.planned_through
    where ${enabled}
    union
    select e.store_id, e.id, e.sender from webhook_endpoints e
    join webhook_replays r on r.store_id = e.store_id and r.endpoint_id = e.id and r.status = 'running'
    where ${enabled}`;
};

const isOverdue = (sql: Sql, overdueMs: number) => sql`
  sender = 'workflow' and deleted_at is null and due_at < now() - ${overdueMs} * interval '1 millisecond'`;

/**
 * Up to `limit` endpoints whose workflow should have sent something more than `overdueMs` ago. An endpoint that was
 * returned within the last `againMs` is left out. Two concurrent sweeps get different rows.
 */
export async function takeOverdueEndpoints(
  sql: TransactionSql,
  { overdueMs, againMs, limit }: OverdueOptions,
): Promise<OverdueEndpoint[]> {
  return await sql<OverdueEndpoint[]>`
    update webhook_endpoints e set woken_at = clock_timestamp()
    from (
      select store_id, id from webhook_endpoints
      where ${isOverdue(sql, overdueMs)}
        and (woken_at is null or woken_at < now() - ${againMs} * interval '1 millisecond')
      order by due_at limit ${limit}
      for no key update skip locked
    ) overdue
    where e.store_id = overdue.store_id and e.id = overdue.id
    returning e.store_id, e.id`;
}

export async function countOverdueEndpoints(sql: Sql, { overdueMs, limit }: CountOptions): Promise<number> {
  return (await sql`select from webhook_endpoints where ${isOverdue(sql, overdueMs)} limit ${limit}`).length;
}

/** The endpoint that was deleted first, and is not removed yet. */
export async function findDeletedEndpoint(sql: TransactionSql): Promise<NamedEndpoint | undefined> {
  const [endpoint] = await sql<NamedEndpoint[]>`
    select store_id, id from webhook_endpoints where deleted_at is not null order by deleted_at limit 1`;
  return endpoint;
}

/** Deletes the row of a deleted endpoint. Returns how many there were. */
export async function deleteEndpoint(sql: TransactionSql, { store_id, id }: NamedEndpoint): Promise<number> {
  const { count } = await sql`delete from webhook_endpoints where store_id = ${store_id} and id = ${id}`;
  return count;
}

/**
 * Moves the webhook endpoints that had all events of their feed to its new beginning. For the others deliveries are made
 * of the events before it first.
 */
export async function moveEndpoints(sql: TransactionSql, base: number): Promise<void> {
  await sql`
    update webhook_endpoints as endpoint set planned_through = ${base} from feeds
    where feeds.store_id = endpoint.store_id and planned_through = last_sequence and last_sequence < ${base}`;
}

/** The age of the oldest delivery that waits at an enabled endpoint, and how many endpoints are disabled. */
export async function findWebhookState(sql: Sql): Promise<{ oldestPendingSeconds: number; disabled: number }> {
  const [row] = await sql<{ age: number; disabled: number }[]>`
    select
      (select count(*)::int from webhook_endpoints where status = 'disabled' and deleted_at is null) as disabled,
      coalesce((
        select extract(epoch from clock_timestamp() - d.occurred_at)::float8
        from webhook_deliveries d
        join webhook_endpoints e on e.store_id = d.store_id and e.id = d.endpoint_id
        where d.status = 'pending' and e.status = 'enabled' and e.deleted_at is null
        order by d.occurred_at limit 1), 0) as age`;
  return { oldestPendingSeconds: row?.age ?? 0, disabled: row?.disabled ?? 0 };
}
