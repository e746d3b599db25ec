import type { WebhookCreator, WebhookStatus } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { passesFilters } from '../../feed/change-filter.repository.ts';
import type { EndpointRow, EndpointSettings, Pending, SendingState } from './endpoint.ts';

/** The most events that are counted as pending, and that are looked through for it. */
const mostCounted = 10_000;

const visible = (sql: Sql, storeId: string) => sql`store_id = ${storeId} and deleted_at is null`;

/** The endpoints in `rows`, each with what waits for it: its deliveries, and the events that have no delivery yet. */
const withPending = (sql: Sql, rows: ReturnType<Sql['unsafe']>) => sql<(EndpointRow & Pending)[]>`
  select e.*, counted.* from (${rows}) e cross join lateral (
    select least(count(*), ${mostCounted})::int as pending, min(occurred_at) as oldest_pending_at from (
      (select occurred_at from webhook_deliveries d
       where d.store_id = e.store_id and d.endpoint_id = e.id and d.status = 'pending' limit ${mostCounted})
      union all
      select created_at from (
        select type, created_at, previous, data from events v where v.store_id = e.store_id and v.sequence > e.planned_through
        order by v.sequence limit ${mostCounted}) as unplanned
      where (e.event_types is null or type = any(e.event_types)) and ${passesFilters(sql, sql`e.filters`)}
    ) as waiting
  ) counted`;

/** Serializes the creations of a store, so that none of them passes the limit. Returns how many endpoints exist. */
export async function countForCreation(sql: TransactionSql, storeId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook endpoints ${storeId}`}, 0))`;
  return await countEndpoints(sql, storeId);
}

export async function countEndpoints(sql: Sql, storeId: string): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from webhook_endpoints where ${visible(sql, storeId)}`;
  return row?.total ?? 0;
}

/** Inserts an endpoint that gets the events after `plannedThrough`. */
export async function insertEndpoint(
  sql: TransactionSql,
  storeId: string,
  endpoint: EndpointSettings & {
    id: string;
    sealedSecrets: string;
    publicKey: string | null;
    plannedThrough: number;
    creator: WebhookCreator | null;
  },
): Promise<EndpointRow> {
  const { id, url, description, event_types, filters, ordering, payload, max_in_flight, creator } = endpoint;
  const [row] = await sql<EndpointRow[]>`
    insert into webhook_endpoints (store_id, id, url, description, event_types, filters, ordering, payload, max_in_flight,
                                   sealed_secrets, public_key, planned_through, creator_kind, creator_id)
    values (${storeId}, ${id}, ${url}, ${description}, ${event_types as string[] | null},
            ${filters && JSON.stringify(filters)}::text::jsonb, ${ordering}, ${payload}, ${max_in_flight},
            ${endpoint.sealedSecrets}, ${endpoint.publicKey}, ${endpoint.plannedThrough}, ${creator?.kind ?? null},
            ${creator?.id ?? null})
    returning *`;
  return row as EndpointRow;
}

export const listEndpoints = (
  sql: Sql,
  storeId: string,
  { start, limit }: { start: TimePageStart; limit: number },
): PromiseLike<(EndpointRow & Pending)[]> => {
  const after = 'after' in start ? sql`and (created_at, id) > (${start.after.at}, ${start.after.id})` : sql``;
  const order = sql`order by created_at, id`;
  const page = sql`
    select * from webhook_endpoints where ${visible(sql, storeId)} ${after} ${order}
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
  return sql<(EndpointRow & Pending)[]>`${withPending(sql, page)} ${order}`;
};

export async function findEndpoint(
  sql: Sql,
  storeId: string,
  id: string,
): Promise<(EndpointRow & Pending) | undefined> {
  const one = sql`select * from webhook_endpoints where ${visible(sql, storeId)} and id = ${id}`;
  const [row] = await withPending(sql, one);
  return row;
}

/** Undefined: the store has no such endpoint. */
export async function findSendingState(sql: Sql, storeId: string, id: string): Promise<SendingState | undefined> {
  const [row] = await sql<SendingState[]>`
    select status, blocked_until from webhook_endpoints where ${visible(sql, storeId)} and id = ${id}`;
  return row;
}

/** The endpoints that a person, or one of these keys, created, oldest first. Locked until the transaction ends if asked. */
export const listEndpointsBy = (
  sql: Sql,
  storeId: string,
  { userId, keyIds, lock }: { userId: string; keyIds: readonly string[]; lock: boolean },
): PromiseLike<EndpointRow[]> =>
  sql<EndpointRow[]>`
    select * from webhook_endpoints
    where ${visible(sql, storeId)} and (
      (creator_kind = 'user' and creator_id = ${userId})
      or (creator_kind = 'api_key' and creator_id = any(${keyIds}::text[])))
    order by ${lock ? sql`id for no key update` : sql`created_at, id`}`;

/** A condition: an endpoint exists and is not deleted. */
export const isVisible = (sql: Sql, storeId: string, id: string) =>
  sql`exists (select from webhook_endpoints where ${visible(sql, storeId)} and id = ${id})`;

/** Locks the row until the transaction ends. Everything about its deliveries is written under this lock. */
export async function lockEndpoint(sql: TransactionSql, storeId: string, id: string): Promise<EndpointRow | undefined> {
  const [row] = await sql<EndpointRow[]>`
    select * from webhook_endpoints where ${visible(sql, storeId)} and id = ${id} for no key update`;
  return row;
}

/** A locked endpoint with what was to plan before: the ends of the feed, and whether a replay runs. */
export type LockedWithFeed = EndpointRow & {
  readonly oldest_sequence: number;
  readonly last_sequence: number;
  readonly replaying: boolean;
};

/**
 * Locks an endpoint that is to be planned. The ends of the feed are read before the events: of those below its beginning,
 * none can come any more.
 */
export async function lockWithFeed(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<LockedWithFeed | undefined> {
  const [row] = await sql<LockedWithFeed[]>`
    select e.*, coalesce(last_sequence, base, 0) as last_sequence, coalesce(oldest_sequence, base + 1, 1) as oldest_sequence,
      exists (select from webhook_replays r
              where r.store_id = e.store_id and r.endpoint_id = e.id and r.status = 'running') as replaying
    from webhook_endpoints e left join feeds f on f.store_id = e.store_id left join restore_fence on true
    where e.store_id = ${storeId} and e.id = ${id} and e.deleted_at is null
    for no key update of e`;
  return row;
}

const changed = (sql: TransactionSql) =>
  sql`version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)`;

/** Writes new settings of a locked endpoint. */
export async function saveSettings(
  sql: TransactionSql,
  { store_id, id }: EndpointRow,
  settings: EndpointSettings,
): Promise<void> {
  const { url, description, event_types, filters, ordering, payload, max_in_flight } = settings;
  await sql`
    update webhook_endpoints
    set url = ${url}, description = ${description}, event_types = ${event_types as string[] | null},
        filters = ${filters && JSON.stringify(filters)}::text::jsonb, ordering = ${ordering}, payload = ${payload},
        max_in_flight = ${max_in_flight}, ${changed(sql)}
    where store_id = ${store_id} and id = ${id}`;
}

/** Stops a locked endpoint, or lets it begin without a history of failures. */
export async function saveStatus(
  sql: TransactionSql,
  { store_id, id }: EndpointRow,
  status: Exclude<WebhookStatus, 'disabled'>,
): Promise<void> {
  await sql`
    update webhook_endpoints
    set status = ${status}, disabled_reason = null, failures = 0, failing_since = null, last_failed_id = null,
        several_fail = false, blocked_until = null, ${changed(sql)}
    where store_id = ${store_id} and id = ${id}`;
}

/** Moves a locked endpoint to another place of the feed. */
export async function savePlace(
  sql: TransactionSql,
  { store_id, id }: Pick<EndpointRow, 'store_id' | 'id'>,
  plannedThrough: number,
): Promise<void> {
  await sql`
    update webhook_endpoints set planned_through = ${plannedThrough} where store_id = ${store_id} and id = ${id}`;
}

/** Decides who sends for a locked endpoint. */
export async function saveSender(
  sql: TransactionSql,
  { store_id, id }: Pick<EndpointRow, 'store_id' | 'id'>,
  sender: EndpointRow['sender'],
): Promise<void> {
  await sql`update webhook_endpoints set sender = ${sender} where store_id = ${store_id} and id = ${id}`;
}

export async function saveSecrets(
  sql: TransactionSql,
  { store_id, id }: EndpointRow,
  secrets: { sealed: string; publicKey: string | null },
): Promise<void> {
  await sql`
    update webhook_endpoints
    set sealed_secrets = ${secrets.sealed}, public_key = ${secrets.publicKey}, ${changed(sql)}
    where store_id = ${store_id} and id = ${id}`;
}

/** Writes what sending has changed of a locked endpoint, if anything has. A new status is a new version. */
export async function saveProgress(sql: TransactionSql, endpoint: EndpointRow): Promise<void> {
  const { store_id, id, planned_through, sender, due_at, full_until, status, disabled_reason } = endpoint;
  const { failures, failing_since, last_failed_id, several_fail, blocked_until, last_success_at } = endpoint;
  const columns = sql`(
    planned_through, sender, due_at, full_until, failures, failing_since, last_failed_id, several_fail, blocked_until,
    last_success_at, status, disabled_reason)`;
  const values = sql`(
    ${planned_through}::bigint, ${sender}::text, ${due_at}::timestamptz, ${full_until}::timestamptz, ${failures}::int,
    ${failing_since}::timestamptz, ${last_failed_id}::uuid, ${several_fail}::boolean, ${blocked_until}::timestamptz,
    ${last_success_at}::timestamptz, ${status}::text, ${disabled_reason}::text)`;
  await sql`
    update webhook_endpoints
    set ${columns} = ${values},
        version = version + (status <> ${status})::int,
        updated_at = case when status <> ${status} then greatest(clock_timestamp(), updated_at) else updated_at end
    where store_id = ${store_id} and id = ${id} and ${columns} is distinct from ${values}`;
}

/** No request sees the endpoint from now on, and nothing is sent to it. */
export async function markDeleted(sql: TransactionSql, { store_id, id }: EndpointRow): Promise<void> {
  await sql`
    update webhook_endpoints set deleted_at = clock_timestamp(), due_at = null
    where store_id = ${store_id} and id = ${id}`;
}

/** For each key that sealed secrets: that key's id, and one such store. */
export const findSealedStores = (sql: Sql) => sql<{ key_id: string; store_id: string }[]>`
  select distinct on (secrets_key_id) secrets_key_id as key_id, store_id from webhook_endpoints
  where deleted_at is null order by secrets_key_id`;

/** The sealed secrets of a store. */
export const findSealed = (sql: Sql, storeId: string) =>
  sql<{ id: string; sealed_secrets: string }[]>`
    select id, sealed_secrets from webhook_endpoints where ${visible(sql, storeId)}`;
