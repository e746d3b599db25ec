import type { ModelConnection, ModelFailureKind, ModelProvider } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** A row of `provider_connections`. */
export type ConnectionRow = {
  readonly id: string;
  readonly provider: ModelProvider;
  readonly url: string | null;
  readonly model: string | null;
  readonly sealed_credentials: string | null;
  readonly connected_at: Date;
  /** How its calls have failed since its last answer. */
  readonly failure_kind: ModelFailureKind | null;
  readonly failures: number;
  readonly failed_at: Date | null;
};

/** What a model is opened with. */
export type OpenedConnection = Pick<ConnectionRow, 'id' | 'provider' | 'url' | 'model' | 'sealed_credentials'>;

const columns = (sql: Sql) =>
  sql`id, provider, url, model, sealed_credentials, connected_at, failure_kind, failures, failed_at`;

/** The query for the connections of a store, its default first. */
export const findConnections = (sql: Sql, storeId: string) =>
  sql<ConnectionRow[]>`
    select ${columns(sql)} from provider_connections where store_id = ${storeId} order by connected_at desc, id`;

/** Replaces the connection of the provider. The credentials are bound to the id, so the row gets the given one. */
export async function saveConnection(
  sql: TransactionSql,
  storeId: string,
  { id, provider, url, model, sealed_credentials }: OpenedConnection,
): Promise<ConnectionRow> {
  const [row] = await sql<[ConnectionRow]>`
    insert into provider_connections (store_id, id, provider, url, model, sealed_credentials)
    values (${storeId}, ${id}, ${provider}, ${url}, ${model}, ${sealed_credentials})
    on conflict (store_id, provider) do update
    set id = excluded.id, url = excluded.url, model = excluded.model,
        sealed_credentials = excluded.sealed_credentials, connected_at = clock_timestamp(),
        failure_kind = null, failures = 0, failed_at = null
    returning ${columns(sql)}`;
  return row;
}

/** Keeps how a call to the provider has ended. `failure` null: it was answered. */
export async function markConnection(
  sql: TransactionSql,
  storeId: string,
  { id, failures }: Pick<ConnectionRow, 'id' | 'failures'>,
  failure: ModelFailureKind | null,
): Promise<void> {
  if (failure === null && failures === 0) return;
  await sql`
    update provider_connections
    set failure_kind = ${failure}, failures = ${failure === null ? sql`0` : sql`failures + 1`},
        failed_at = ${failure === null ? null : sql`clock_timestamp()`}
    where store_id = ${storeId} and id = ${id}`;
}

/** Deletes the connection of the provider, or all of them. */
export const deleteConnections = (sql: TransactionSql, storeId: string, provider?: ModelProvider) =>
  sql`
    delete from provider_connections
    where store_id = ${storeId} and provider = coalesce(${provider ?? null}, provider)`;

/** For each key that sealed credentials: that key's id, and one such store. */
export const findSealedStores = (sql: Sql) => sql<{ key_id: string; store_id: string }[]>`
  select distinct on (credentials_key_id) credentials_key_id as key_id, store_id
  from (
    select credentials_key_id, store_id from provider_connections
    union all select credentials_key_id, store_id from embedders
  ) sealed
  where credentials_key_id is not null order by credentials_key_id`;

export const toConnection = (row: ConnectionRow): ModelConnection => ({
  ...{ provider: row.provider, url: row.url, model: row.model, connected_at: toTimestamp(row.connected_at) },
  failure:
    row.failure_kind && row.failed_at
      ? { kind: row.failure_kind, times: row.failures, at: toTimestamp(row.failed_at) }
      : null,
});
