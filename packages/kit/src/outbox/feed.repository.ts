import {
  type FeedIds,
  type FeedObject,
  type FeedType,
  feedCatalogue,
  maxEventDataBytes,
} from '@mostrador/contracts/feed-catalogue';
import type { SystemDatabase, TransactionSql } from '../database/database.ts';

/** An event for the public feed, with the entity's resource as it is now. */
export type PublicEvent = {
  [Type in FeedType]: {
    readonly kind: 'feed';
    readonly type: Type;
    readonly entityId: string;
    readonly data: FeedIds<Type>;
    readonly object: FeedObject<Type>;
  };
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
    data: dataOf(event),
  }));
  return sql`
    insert into feed_entries (store_id, type, entity_type, entity_id, data)
    select ${storeId}::uuid, type, entity_type, entity_id, data
    from rows from (
        json_to_recordset(${JSON.stringify(rows)}::text::json)
          as (type text, entity_type text, entity_id uuid, data json)
      ) with ordinality as event (type, entity_type, entity_id, data, number)
    order by number`;
}

/** The event's data. Without the object when it would be too large. */
function dataOf({ data, object }: PublicEvent): Record<string, unknown> {
  const whole = { ...data, object };
  if (!object || Buffer.byteLength(JSON.stringify(whole)) <= maxEventDataBytes) return whole;
  return { ...data, object: null };
}

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
          select position, id, store_id, type, entity_type, entity_id, data, created_at, found from (
            select *, sum(octet_length(data::text)) over (order by position) as bytes,
              row_number() over (order by position) as number, count(*) over () as found
            from (
              select position, id, store_id, type, entity_type, entity_id, data, created_at from feed_entries
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
