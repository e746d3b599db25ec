import type { ModelConnection, ModelProvider } from '@mostrador/contracts';
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
};

const columns = (sql: Sql) => sql`id, provider, url, model, sealed_credentials, connected_at`;

/** The query for the connections of a store, its default first. */
export const findConnections = (sql: Sql, storeId: string) =>
  sql<ConnectionRow[]>`
    select ${columns(sql)} from provider_connections where store_id = ${storeId} order by connected_at desc, id`;

/** Replaces the connection of the provider. The credentials are bound to the id, so the row gets the given one. */
export async function saveConnection(
  sql: TransactionSql,
  storeId: string,
  { id, provider, url, model, sealed_credentials }: Omit<ConnectionRow, 'connected_at'>,
): Promise<ConnectionRow> {
  const [row] = await sql<[ConnectionRow]>`
    insert into provider_connections (store_id, id, provider, url, model, sealed_credentials)
    values (${storeId}, ${id}, ${provider}, ${url}, ${model}, ${sealed_credentials})
    on conflict (store_id, provider) do update
    set id = excluded.id, url = excluded.url, model = excluded.model,
        sealed_credentials = excluded.sealed_credentials, connected_at = clock_timestamp()
    returning ${columns(sql)}`;
  return row;
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

export const toConnection = ({ provider, url, model, connected_at }: ConnectionRow): ModelConnection => ({
  ...{ provider, url, model, connected_at: toTimestamp(connected_at) },
});
