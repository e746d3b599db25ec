import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { overdueIn } from '@mostrador/kit/step/overdue.repository';
import { mostWaiting } from '../replays/replay.ts';
import type { EndpointRow } from './endpoint.ts';

// What jobs and gauges ask about the endpoints of all stores.

/** The name of an endpoint, for the jobs that look at all stores. */
export type NamedEndpoint = { readonly store_id: string; readonly id: string };
export type EndpointToSend = NamedEndpoint & { readonly sender: EndpointRow['sender'] };

/** Stores and endpoints that a look leaves out. */
type LeftOut = { readonly stores: readonly string[]; readonly endpoints: readonly string[] };

/** Endpoints for which the service itself sends, and which are due, the longest due first. */
export const findDueEndpoints = (sql: Sql, { stores, endpoints }: LeftOut, limit: number) => sql<EndpointToSend[]>`
  select store_id, id, sender from webhook_endpoints
  where sender = 'service' and due_at <= now() and deleted_at is null
    and store_id <> all(${[...stores]}::uuid[]) and id <> all(${[...endpoints]}::uuid[])
  order by due_at limit ${limit}`;

const isEnabled = (sql: Sql) => sql`e.status = 'enabled' and e.deleted_at is null`;

/** Whether events of feed `f` can be planned for endpoint `e`. */
const isUnplanned = (sql: Sql) => sql`
  f.last_sequence > e.planned_through and (e.full_until is null or e.full_until <= now())`;

/** Endpoints of these stores whose feed has grown. */
export const findUnplanned = (sql: Sql, storeIds: readonly string[]) => sql<EndpointToSend[]>`
  select e.store_id, e.id, e.sender from webhook_endpoints e
  join feeds f on f.store_id = e.store_id and ${isUnplanned(sql)}
  where ${isEnabled(sql)} and e.store_id = any(${[...storeIds]}::uuid[])`;

/**
 * Goes past up to `limit` enabled endpoints behind `after`, in one order. Returns those whose feed has grown, and the last
 * of all, behind which the next look goes on; undefined: it begins again.
 */
export async function findNextUnplanned(
  sql: Sql,
  part: Part,
): Promise<{ unplanned: EndpointToSend[]; last: NamedEndpoint | undefined }> {
  const rows = await nextUnplanned(sql, part);
  const last = rows.find(({ is_last }) => is_last);
  return {
    unplanned: rows.filter(({ is_unplanned }) => is_unplanned),
    last: last && last.passed === part.limit ? { store_id: last.store_id, id: last.id } : undefined,
  };
}

/** A part of the enabled endpoints, in one order. */
type Part = { readonly after: NamedEndpoint | undefined; readonly limit: number };

/** The endpoints of a part whose feed has grown, and its last one. */
export const nextUnplanned = (sql: Sql, { after, limit }: Part) =>
  sql<(EndpointToSend & { is_unplanned: boolean; is_last: boolean; passed: number })[]>`
    select store_id, id, sender, is_unplanned, is_last, passed from (
      select e.store_id, e.id, e.sender, coalesce(${isUnplanned(sql)}, false) as is_unplanned,
        lead(e.id) over (order by e.store_id, e.id) is null as is_last, count(*) over ()::int as passed
      from (
        select store_id, id, sender, planned_through, full_until from webhook_endpoints e
        where ${isEnabled(sql)} ${after ? sql`and (store_id, id) > (${after.store_id}::uuid, ${after.id}::uuid)` : sql``}
        order by store_id, id limit ${limit}) e
      left join feeds f on f.store_id = e.store_id) as looked
    where is_unplanned or is_last`;

/**
 * Endpoints of these stores, or of all, with a running replay that has deliveries to make, or that ends now. One whose
 * deliveries wait is left alone: `advanceReplay` makes none while its queue is full.
 */
export const findReplaying = (sql: Sql, storeIds: readonly string[] | null) => sql<EndpointToSend[]>`
  select e.store_id, e.id, e.sender from webhook_replays r
  join webhook_endpoints e on e.store_id = r.store_id and e.id = r.endpoint_id and ${isEnabled(sql)}
  cross join lateral (
    select count(*) as waiting from (
      select from webhook_deliveries d
      where d.store_id = r.store_id and d.replay_id = r.id and d.status = 'pending' limit ${mostWaiting}) as pending
  ) counted
  where r.status = 'running' ${storeIds === null ? sql`` : sql`and r.store_id = any(${[...storeIds]}::uuid[])`} and case
    when r.looked_through >= r.to_sequence then waiting = 0
    else waiting < ${mostWaiting} and r.looked_through < e.planned_through end`;

export const overdueEndpointRows = overdueIn<NamedEndpoint>({
  table: 'webhook_endpoints',
  key: 'id',
  due: 'due_at',
  where: (sql) => sql`sender = 'workflow' and deleted_at is null`,
  columns: (sql) => sql`woken.id`,
});

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

/** What waits and fails at the webhook endpoints of all stores. */
export type WebhookState = {
  /** The age of the oldest delivery that waits at an enabled endpoint. 0: none waits. */
  readonly oldestPendingSeconds: number;
  /** Enabled endpoints whose last attempt failed. */
  readonly failing: number;
  readonly disabled: number;
};

export async function findWebhookState(sql: Sql): Promise<WebhookState> {
  const [row] = await sql<WebhookState[]>`
    select disabled, failing,
      coalesce((
        select extract(epoch from clock_timestamp() - d.occurred_at)::float8
        from webhook_deliveries d
        join webhook_endpoints e on e.store_id = d.store_id and e.id = d.endpoint_id
        where d.status = 'pending' and e.status = 'enabled' and e.deleted_at is null
        order by d.occurred_at limit 1), 0) as "oldestPendingSeconds"
    from (
      select count(*) filter (where status = 'disabled')::int as disabled,
        count(*) filter (where status = 'enabled' and failing_since is not null)::int as failing
      from webhook_endpoints where deleted_at is null) as endpoints`;
  return row ?? { oldestPendingSeconds: 0, failing: 0, disabled: 0 };
}
