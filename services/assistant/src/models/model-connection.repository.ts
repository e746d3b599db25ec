import type { ModelConnection } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

export type ConnectionRow = {
  readonly provider: NonNullable<ModelConnection['provider']>;
  readonly connected_at: Date;
};

export const findConnection = (sql: Sql, storeId: string) =>
  sql<ConnectionRow[]>`select provider, connected_at from model_connections where store_id = ${storeId}`;

export async function saveConnection(
  sql: TransactionSql,
  storeId: string,
  provider: ConnectionRow['provider'],
): Promise<ConnectionRow> {
  const [row] = await sql<[ConnectionRow]>`
    insert into model_connections (store_id, provider) values (${storeId}, ${provider})
    on conflict (store_id) do update set provider = excluded.provider, connected_at = clock_timestamp()
    returning provider, connected_at`;
  return row;
}

export const deleteConnection = (sql: TransactionSql, storeId: string) =>
  sql`delete from model_connections where store_id = ${storeId}`;

export const toConnection = (row: ConnectionRow | undefined): ModelConnection => ({
  provider: row?.provider ?? null,
  connected_at: row ? toTimestamp(row.connected_at) : null,
});
