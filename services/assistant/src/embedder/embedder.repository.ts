import type { EmbedderConnection } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** A row of `embedders`. */
export type EmbedderRow = {
  readonly id: string;
  readonly url: string;
  readonly model: string;
  readonly sealed_credentials: string | null;
  readonly connected_at: Date;
};

/** The query for the embedder of a store. No row: it has none. */
export const findEmbedder = (sql: Sql, storeId: string) =>
  sql<EmbedderRow[]>`
    select id, url, model, sealed_credentials, connected_at from embedders where store_id = ${storeId}`;

/** Locks the embedder of the store, so that two who connect one do so one after the other. */
export const lockEmbedder = (sql: TransactionSql, storeId: string) =>
  sql<Pick<EmbedderRow, 'id' | 'url' | 'model'>[]>`
    select id, url, model from embedders where store_id = ${storeId} for update`;

/** Replaces the embedder of the store. The credentials are bound to the id. */
export async function saveEmbedder(
  sql: TransactionSql,
  storeId: string,
  { id, url, model, sealed_credentials }: Omit<EmbedderRow, 'connected_at'>,
): Promise<EmbedderRow> {
  const [row] = await sql<[EmbedderRow]>`
    insert into embedders (store_id, id, url, model, sealed_credentials)
    values (${storeId}, ${id}, ${url}, ${model}, ${sealed_credentials})
    on conflict (store_id) do update
    set id = excluded.id, url = excluded.url, model = excluded.model,
        sealed_credentials = excluded.sealed_credentials, connected_at = clock_timestamp()
    returning id, url, model, sealed_credentials, connected_at`;
  return row;
}

export const deleteEmbedder = (sql: TransactionSql, storeId: string) => sql`
  delete from embedders where store_id = ${storeId}`;

export const toEmbedder = ({ url, model, connected_at }: EmbedderRow): EmbedderConnection => ({
  ...{ url, model, connected_at: toTimestamp(connected_at) },
});
