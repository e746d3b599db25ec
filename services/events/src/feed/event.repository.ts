import type { WebhookFilter } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { passesFilters } from './change-filter.repository.ts';
import type { EventRow } from './event.ts';
import type { Feed } from './page.ts';
import { clockMarginMs } from './partitions.ts';

export type EventFilters = {
  readonly types?: readonly string[];
  readonly entityId?: string;
  readonly changes?: readonly WebhookFilter[] | null;
};

/** An event of the feed, without its data. */
export type PlannedEvent = {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly entity_id: string;
  readonly created_at: Date;
};

/** The range of the store's feed. A store without events has an empty one, where the feeds begin since a restore. */
export async function findFeed(sql: Sql, storeId: string): Promise<Feed> {
  const [feed] = await sql<[Feed]>`
    select coalesce(last_sequence, base, 0) as last_sequence, coalesce(oldest_sequence, base + 1, 1) as oldest_sequence
    from (select) as one left join feeds on store_id = ${storeId} left join restore_fence on true`;
  return feed;
}

const columns = (sql: Sql) => sql`
  store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, etag, actor, request_id, previous`;

const passes = (sql: Sql, changes: readonly WebhookFilter[]) =>
  passesFilters(sql, sql`${JSON.stringify(changes)}::text::jsonb`);

const matches = (sql: Sql, { types, entityId, changes }: EventFilters) => sql`
  ${changes ? sql`and ${passes(sql, changes)}` : sql``}
  ${types === undefined ? sql`` : sql`and type = any(${types as string[]})`}
  ${entityId === undefined ? sql`` : sql`and entity_id = ${entityId}`}`;

/** Events after `start` and up to `until` that match: the first ones in order, or the last ones, the newest first. */
export const findEvents = (
  sql: Sql,
  storeId: string,
  page: { start: number; until: number; filters: EventFilters; limit: number; newestFirst?: boolean },
) => sql<EventRow[]>`
  select ${columns(sql)} from events
  where store_id = ${storeId} and sequence > ${page.start} and sequence <= ${page.until} ${matches(sql, page.filters)}
  order by sequence ${page.newestFirst ? sql`desc` : sql``} limit ${page.limit}`;

/** Up to `limit` events after this one and up to `until`, and whether each passes the filters. */
export const findEventsAfter = (
  sql: Sql,
  storeId: string,
  { after, until, limit, changes }: { after: number; until?: number; limit: number } & Pick<EventFilters, 'changes'>,
) => sql<(PlannedEvent & { readonly passes: boolean })[]>`
  select sequence, id, type, entity_id, created_at, ${changes ? passes(sql, changes) : sql`true`} as passes from events
  where store_id = ${storeId} and sequence > ${after} ${until === undefined ? sql`` : sql`and sequence <= ${until}`}
  order by sequence limit ${limit}`;

/** Events by their numbers. The moments when they happened tell which days' partitions have none of them. */
export async function findNumbered(
  sql: Sql,
  storeId: string,
  events: readonly { readonly sequence: number; readonly occurred_at: Date }[],
): Promise<EventRow[]> {
  if (events.length === 0) return [];
  const since = Math.min(...events.map(({ occurred_at }) => occurred_at.getTime())) - clockMarginMs;
  return await sql<EventRow[]>`
    select ${columns(sql)} from events
    where store_id = ${storeId} and sequence = any(${events.map(({ sequence }) => sequence)}::bigint[])
      and appended_at >= ${new Date(since)}`;
}

export const findEvent = (sql: Sql, storeId: string, id: string) => sql<EventRow[]>`
  select ${columns(sql)} from events
  where store_id = ${storeId} and id = ${id}`;
