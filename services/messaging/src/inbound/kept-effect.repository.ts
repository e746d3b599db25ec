import type { Sql, SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import type { CustomerKeys, KeptRow } from './kept-effect.ts';

/** Keeps an effect, unless a later one of its kind and part is kept. */
export async function keepEffect(sql: TransactionSql, storeId: string, row: KeptRow): Promise<void> {
  await sql`
    insert into kept_effects as known
      (store_id, customer, kind, part, phone_key, user_id, effect, told_at, kept_until)
    values (${storeId}, ${row.customer}, ${row.kind}, ${row.part}, ${row.phone_key}, ${row.user_id},
      ${sql.json(row.effect as never)}, ${row.told_at}, ${row.kept_until})
    on conflict (store_id, customer, kind, part) do update
    set phone_key = coalesce(excluded.phone_key, known.phone_key), effect = excluded.effect, told_at = excluded.told_at,
      kept_until = excluded.kept_until
    where known.told_at <= excluded.told_at`;
}

/** Whether anything is kept in the store. */
export async function hasKept(sql: Sql, storeId: string): Promise<boolean> {
  const rows = await sql`select from kept_effects where store_id = ${storeId} limit 1`;
  return rows.length > 0;
}

/** Who of these customers has something kept, by their place in the list. */
export async function findKept(sql: Sql, storeId: string, customers: readonly CustomerKeys[]): Promise<number[]> {
  const asked = customers.map((customer, place) => ({ ...customer, place }));
  const rows = await sql<{ place: number }[]>`
    select distinct place
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as asked (phone_key text, user_id text, place integer)
      join kept_effects k on k.store_id = ${storeId} and (k.user_id = asked.user_id or k.phone_key = asked.phone_key)
    order by place`;
  return rows.map(({ place }) => place);
}

/**
 * Takes what is kept of a customer, the earliest first. What was told of another customer with the number stays: the ids of
 * the channel differ.
 */
export async function takeKeptRows(
  sql: TransactionSql,
  storeId: string,
  { phone_key, user_id }: CustomerKeys,
): Promise<KeptRow[]> {
  const rows = await sql<KeptRow[]>`
    delete from kept_effects
    where store_id = ${storeId} and (user_id = ${user_id} or (
      phone_key = ${phone_key} and (user_id is null or ${user_id}::text is null)))
    returning customer, kind, part, phone_key, user_id, effect, told_at, kept_until`;
  return rows.toSorted((one, other) => one.told_at.getTime() - other.told_at.getTime());
}

/** Forgets what waited too long for its customer to become a lead. */
export const purgeKeptEffects = (database: SystemDatabase): Promise<void> =>
  database.write({ deadline: Date.now() + 10_000 }, async (sql) => {
    await sql`delete from kept_effects where kept_until < now()`;
  });
