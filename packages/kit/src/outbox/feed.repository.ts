import { isDeepStrictEqual } from 'node:util';
import type { EventActor } from '@mostrador/contracts/feed';
import {
  type FeedIds,
  type FeedObject,
  type FeedType,
  feedCatalogue,
  maxEventDataBytes,
  type UpdatedType,
} from '@mostrador/contracts/feed-catalogue';
import type { SystemDatabase, TransactionSql } from '../database/database.ts';
import type { Origin } from '../rpc/actor.ts';

/** An event for the public feed, with the entity's resource as it is now. */
export type PublicEvent = {
  [Type in FeedType]: {
    readonly kind: 'feed';
    readonly type: Type;
    readonly entityId: string;
    /** The ETag of the resource, as `GET` answers it. Null: it has none. */
    readonly etag: string | null;
    readonly data: FeedIds<Type>;
    readonly object: FeedObject<Type>;
    /** The resource as it was before the change. */
    readonly before?: FeedObject<Type>;
    /** What caused it. Default: what caused the transaction. */
    readonly origin?: Origin;
  } & (Type extends UpdatedType ? { readonly before: FeedObject<Type> } : unknown);
}[FeedType];

/** An entry that waits for the events service. */
export type FeedRow = {
  readonly position: number;
  readonly id: string;
  readonly store_id: string;
  readonly type: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
  // Null in an entry of the previous version.
  readonly etag: string | null;
  readonly actor: EventActor | null;
  readonly request_id: string | null;
  readonly previous: Record<string, unknown> | null;
};

/** The number of waiting entries, at most 10,000, and how long the oldest waits. Entries that were set aside count apart. */
export type FeedBacklog = { readonly entries: number; readonly setAside: number; readonly oldestSeconds: number };

/**
 * The statement that writes public events in the order of the array. The transaction has inserted or locked the row
 * of each entity before, so that the positions of an entity have the order of its changes.
 */
export function insertFeedEntries(sql: TransactionSql, storeId: string, events: readonly PublicEvent[]) {
  const rows = events.map((event) => ({
    type: event.type,
    entity_type: feedCatalogue[event.type].entity,
    entity_id: event.entityId,
    etag: event.etag,
    ...contentOf(event),
    ...originColumns(event.origin ?? sql.origin),
  }));
  return sql`
    insert into feed_entries (store_id, type, entity_type, entity_id, etag, data, previous, actor, request_id)
    select ${storeId}::uuid, type, entity_type, entity_id, etag, data, previous, actor, request_id
    from rows from (
        json_to_recordset(${JSON.stringify(rows)}::text::json)
          as (type text, entity_type text, entity_id uuid, etag text, data json, previous json, actor json, request_id text)
      ) with ordinality as event (type, entity_type, entity_id, etag, data, previous, actor, request_id, number)
    order by number`;
}

const originColumns = ({ actor, requestId }: Origin) => ({ actor, request_id: requestId });

/** The data of an event, and what its resource was before. What would be too large is left out: first what it was. */
function contentOf({ data, object, before }: PublicEvent) {
  const whole = { ...data, object };
  if (!object) return { data: whole, previous: null };
  const leftBytes = maxEventDataBytes - bytesOf(whole);
  if (leftBytes < 0) return { data: { ...data, object: null }, previous: null };
  const previous = before ? changedMembers(before, object) : null;
  return { data: whole, previous: previous && bytesOf(previous) < leftBytes ? previous : null };
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** The members that differ, as they were before. Not `updated_at`, because it changes with all of them. */
const changedMembers = (before: object, after: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(before).filter(
      ([name, value]) => name !== 'updated_at' && !isDeepStrictEqual(value, (after as Record<string, unknown>)[name]),
    ),
  );

const statementLimitMs = 5000;
const mostCounted = 10_000;
const scope = () => ({ deadline: Date.now() + statementLimitMs });

/** The statements of the relay. Each is its own transaction, and none locks a row during a request. */
export function feedRepository(database: SystemDatabase) {
  return {
    /**
     * The oldest entries: at most `limit`, and at most `bytes` of data unless the first entry alone has more. `more`:
     * others wait behind them.
     */
    readOldest: async (limit: number, bytes: number): Promise<{ rows: FeedRow[]; more: boolean }> => {
      const rows = await database.read(
        scope(),
        (sql) => sql<(FeedRow & { found: number })[]>`
          select position, id, store_id, type, entity_type, entity_id, data, created_at, etag, actor, request_id, previous, found
          from (
            select *, sum(octet_length(data::text) + coalesce(octet_length(previous::text), 0)) over (order by position) as bytes,
              row_number() over (order by position) as number, count(*) over () as found
            from (
              select position, id, store_id, type, entity_type, entity_id, data, created_at, etag, actor, request_id, previous
              from feed_entries
              where set_aside_at is null order by position limit ${limit}) as oldest) as counted
          where bytes <= ${bytes} or number = 1
          order by position`,
      );
      const found = rows[0]?.found ?? 0;
      return { rows, more: found > rows.length || found === limit };
    },

    remove: async (rows: readonly FeedRow[]): Promise<void> => {
      const positions = rows.map(({ position }) => position);
      await database.execute(
        scope(),
        (sql) => sql`delete from feed_entries where position = any(${positions}::bigint[])`,
      );
    },

    setAside: async ({ position }: FeedRow, error: string): Promise<void> => {
      await database.execute(
        scope(),
        (sql) => sql`
          update feed_entries set set_aside_at = clock_timestamp(), last_error = ${error}
          where position = ${position}`,
      );
    },

    backlog: async (): Promise<FeedBacklog> => {
      const [row] = await database.read(
        scope(),
        (sql) => sql<[FeedBacklog]>`
          select count(*) filter (where set_aside_at is null) as entries,
            count(*) filter (where set_aside_at is not null) as "setAside",
            coalesce(greatest(extract(epoch from clock_timestamp() - min(created_at) filter (where set_aside_at is null)), 0), 0)::float8
              as "oldestSeconds"
          from (select set_aside_at, created_at from feed_entries order by position limit ${mostCounted}) as oldest`,
      );
      return row;
    },
  };
}

export type FeedRepository = ReturnType<typeof feedRepository>;
