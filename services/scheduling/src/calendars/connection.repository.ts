import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { ConnectionSettings, ProviderName } from './calendar-provider.ts';

/** A row of `calendar_connections`. */
export type ConnectionRow = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly settings: ConnectionSettings;
  readonly sealed_credentials: string | null;
  readonly sealed_feed_token: string | null;
  readonly status: 'connected' | 'needs_attention';
  readonly last_error_code: string | null;
  readonly last_error_detail: string | null;
  readonly connected_at: Date;
  /** When the calendar refused the connection. */
  readonly refused_at: Date | null;
  /** When the latest restore of the database was fenced. */
  readonly fenced_at: Date | null;
  /** Versions of appointments that the calendar got before this moment may have been lost and counted again. */
  readonly epoch: Date;
};

export type NewConnection = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly settings: ConnectionSettings;
  readonly sealed_credentials: string;
  readonly feed_token_hash: Buffer | null;
  readonly sealed_feed_token: string | null;
};

/** The current connection. */
export async function findConnection(sql: Sql, storeId: string): Promise<ConnectionRow | undefined> {
  const [row] = await sql<ConnectionRow[]>`
    select id, provider, settings, sealed_credentials, sealed_feed_token, status, last_error_code, last_error_detail,
      connected_at, refused_at, fenced_at, greatest(connected_at, fenced_at) as epoch
    from calendar_connections left join restore_fence on true
    where store_id = ${storeId} and disconnected_at is null`;
  return row;
}

/** When the latest restore of the database was fenced; null, if none was. */
export async function findFencedAt(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ fenced_at: Date }[]>`select fenced_at from restore_fence`;
  return row?.fenced_at ?? null;
}

/**
 * Reads the current connection and keeps it in force until the transaction ends. Without this lock, both transactions
 * could miss an appointment that is created while a calendar is being connected. Take it before any other lock.
 */
export async function lockCalendarConnection(sql: TransactionSql, storeId: string): Promise<ConnectionRow | undefined> {
  // Both are sent at once and run in this order. A statement sees only what was committed before it, so there are two.
  const lock = sql`select pg_advisory_xact_lock_shared(${lockKey(sql, storeId)})`.execute();
  const [connection] = await Promise.all([findConnection(sql, storeId), lock]);
  return connection;
}

/** Reads the current connection in order to replace or end it. Waits until no transaction holds the shared lock. */
export async function lockCalendarConnectionForUpdate(
  sql: TransactionSql,
  storeId: string,
): Promise<ConnectionRow | undefined> {
  await sql`select pg_advisory_xact_lock(${lockKey(sql, storeId)})`;
  return await findConnection(sql, storeId);
}

const lockKey = (sql: Sql, storeId: string) => sql`hashtextextended('scheduling calendar ' || ${storeId}::text, 0)`;

export async function insertConnection(sql: TransactionSql, storeId: string, connection: NewConnection): Promise<void> {
  const { id, provider, settings, sealed_credentials, feed_token_hash, sealed_feed_token } = connection;
  await sql`
    insert into calendar_connections (store_id, id, provider, settings, sealed_credentials, feed_token_hash,
      sealed_feed_token)
    values (${storeId}, ${id}, ${provider}, ${sql.json(settings)}, ${sealed_credentials}, ${feed_token_hash},
      ${sealed_feed_token})`;
}

/** Removes the token of the store's last feed from its row, and returns it. The new connection takes it over. */
export async function takeFeedToken(sql: TransactionSql, storeId: string): Promise<string | null> {
  const [row] = await sql<{ sealed_feed_token: string }[]>`
    update calendar_connections set sealed_feed_token = null
    where store_id = ${storeId} and sealed_feed_token is not null
    returning old.sealed_feed_token`;
  return row?.sealed_feed_token ?? null;
}

/** Ends a connection and deletes its secrets. A feed keeps the token of its address, which leads nowhere now. */
export async function endConnection(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update calendar_connections
    set disconnected_at = clock_timestamp(), sealed_credentials = null, feed_token_hash = null
    where store_id = ${storeId} and id = ${id}`;
}

/** Marks the connection as needing attention, unless it has ended. */
export async function markConnectionRefused(
  sql: TransactionSql,
  storeId: string,
  id: string,
  error: { code: string; detail: string },
): Promise<void> {
  await sql`
    update calendar_connections
    set status = 'needs_attention', last_error_code = ${error.code}, last_error_detail = ${error.detail},
        refused_at = coalesce(refused_at, clock_timestamp())
    where store_id = ${storeId} and id = ${id} and disconnected_at is null`;
}

/** The id of the store whose feed has this token. */
export async function findFeedStore(sql: Sql, tokenHash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ store_id: string }[]>`
    select store_id from calendar_connections where feed_token_hash = ${tokenHash}`;
  return row?.store_id;
}

/** For each key that sealed the credentials of a live connection: that key's id, and one such store. */
export const findSealedStores = (sql: Sql) => sql<{ key_id: string; store_id: string }[]>`
  select distinct on (credentials_key_id) credentials_key_id as key_id, store_id from calendar_connections
  where disconnected_at is null and credentials_key_id is not null order by credentials_key_id`;
