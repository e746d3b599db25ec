import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { ConnectionSettings, ProviderName } from './calendar-provider.ts';

/** A calendar connection as its row holds it. */
export type ConnectionRow = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly settings: ConnectionSettings;
  readonly sealed_credentials: string | null;
  readonly status: 'connected' | 'needs_attention';
  readonly last_error_code: string | null;
  readonly last_error_detail: string | null;
  readonly connected_at: Date;
};

export type NewConnection = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly settings: ConnectionSettings;
  readonly sealed_credentials: string;
  readonly feed_token_hash: Buffer | null;
};

/** The connection in force. */
export async function findConnection(sql: Sql, storeId: string): Promise<ConnectionRow | undefined> {
  const [row] = await sql<ConnectionRow[]>`
    select id, provider, settings, sealed_credentials, status, last_error_code, last_error_detail, connected_at
    from calendar_connections
    where store_id = ${storeId} and disconnected_at is null`;
  return row;
}

/**
 * The connection in force, which is neither replaced nor ended before the transaction is over: else an appointment made
 * meanwhile would be missed both by its own transaction and by the one that connects. It is the first lock to take.
 */
export async function lockCalendarConnection(sql: TransactionSql, storeId: string): Promise<ConnectionRow | undefined> {
  // Sent together, run in this order; two statements, as each sees what was committed before it began.
  const lock = sql`select pg_advisory_xact_lock_shared(${lockKey(sql, storeId)})`.execute();
  const [connection] = await Promise.all([findConnection(sql, storeId), lock]);
  return connection;
}

/** The connection in force, to be replaced or ended: waits for whoever holds it. */
export async function lockCalendarConnectionForUpdate(
  sql: TransactionSql,
  storeId: string,
): Promise<ConnectionRow | undefined> {
  await sql`select pg_advisory_xact_lock(${lockKey(sql, storeId)})`;
  return await findConnection(sql, storeId);
}

const lockKey = (sql: Sql, storeId: string) => sql`hashtextextended('scheduling calendar ' || ${storeId}::text, 0)`;

export async function insertConnection(sql: TransactionSql, storeId: string, connection: NewConnection): Promise<void> {
  const { id, provider, settings, sealed_credentials, feed_token_hash } = connection;
  await sql`
    insert into calendar_connections (store_id, id, provider, settings, sealed_credentials, feed_token_hash)
    values (${storeId}, ${id}, ${provider}, ${sql.json(settings)}, ${sealed_credentials}, ${feed_token_hash})`;
}

/** Ends a connection and forgets what is secret about it. */
export async function endConnection(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update calendar_connections
    set disconnected_at = clock_timestamp(), sealed_credentials = null, feed_token_hash = null
    where store_id = ${storeId} and id = ${id}`;
}

/** A person must see to it. One that has ended meanwhile stays as it is. */
export async function markConnectionRefused(
  sql: TransactionSql,
  storeId: string,
  id: string,
  error: { code: string; detail: string },
): Promise<void> {
  await sql`
    update calendar_connections
    set status = 'needs_attention', last_error_code = ${error.code}, last_error_detail = ${error.detail}
    where store_id = ${storeId} and id = ${id} and disconnected_at is null`;
}

/** The store whose feed has this token. */
export async function findFeedStore(sql: Sql, tokenHash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ store_id: string }[]>`
    select store_id from calendar_connections where feed_token_hash = ${tokenHash}`;
  return row?.store_id;
}
