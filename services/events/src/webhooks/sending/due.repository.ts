import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { CountOptions, OverdueOptions } from '@mostrador/kit/step/overdue';
import type { EndpointRow } from '../endpoints/endpoint.ts';

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
