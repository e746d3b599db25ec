import type { Sql, SystemDatabase, TransactionSql } from '../database/database.ts';

/** A column with sealed texts, and the one that says which key sealed them. Its table has `store_id` and `id`. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** Null where nothing is sealed. The system role may read it. */
  readonly keyColumn: string;
};

/** How many texts each key has sealed. */
export const countSealed = (sql: Sql, { table, keyColumn }: SealedColumn) => sql<{ key_id: string; rows: number }[]>`
  select ${sql(keyColumn)} as key_id, count(*)::int as rows from ${sql(table)}
  where ${sql(keyColumn)} is not null group by 1 order by 1`;

/** The kept answers that are sealed, because they show a secret once. They expire by themselves. */
export const countSealedAnswers = (sql: Sql) => sql<{ key_id: string; rows: number; expires_at: Date }[]>`
  select split_part(encode(substring(reply for 64), 'escape'), '.', 2) as key_id, count(*)::int as rows,
    max(expires_at) as expires_at
  from idempotency_records where substring(reply for 3) = 'v1.'::bytea and expires_at > now() group by 1 order by 1`;

/** Stores after this one that have a text sealed with another key, in the order of their ids. */
export async function findStoresToReseal(
  database: SystemDatabase,
  columns: readonly SealedColumn[],
  { keyId, after, limit, deadline }: { keyId: string; after: string; limit: number; deadline: number },
): Promise<string[]> {
  const found = await database.read({ deadline }, (sql) =>
    Promise.all(
      columns.map(
        ({ table, keyColumn }) => sql<{ store_id: string }[]>`
          select distinct store_id from ${sql(table)}
          where ${sql(keyColumn)} <> ${keyId} and store_id > ${after} order by store_id limit ${limit}`,
      ),
    ),
  );
  return [...new Set(found.flat().map(({ store_id }) => store_id))].sort().slice(0, limit);
}

/** The texts of a store that another key has sealed. */
export const findToReseal = (sql: Sql, storeId: string, { table, column, keyColumn }: SealedColumn, keyId: string) =>
  sql<{ id: string; sealed: string; key_id: string }[]>`
    select id, ${sql(column)} as sealed, ${sql(keyColumn)} as key_id from ${sql(table)}
    where store_id = ${storeId} and ${sql(keyColumn)} <> ${keyId} order by id`;

/** Puts the text in the place of the one that was read, unless a request has changed it since. Nothing else of the row changes. */
export async function replaceSealed(
  sql: TransactionSql,
  storeId: string,
  { table, column }: SealedColumn,
  { id, before, after }: { id: string; before: string; after: string },
): Promise<boolean> {
  const { count } = await sql`
    update ${sql(table)} set ${sql(column)} = ${after}
    where store_id = ${storeId} and id = ${id} and ${sql(column)} = ${before}`;
  return count > 0;
}
