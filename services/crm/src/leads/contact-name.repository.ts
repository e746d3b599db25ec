import type { SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import { canonicalPhone } from '@mostrador/kit/phones/canonical-phone';

/** A name is kept for half a year, as long as the past that the telephone tells. */
const keptDays = 180;

/** What the store's telephone calls a customer. Null: no longer. */
export type ContactName = { readonly phone: string; readonly name: string | null; readonly at: Date };

/**
 * Locks the contacts with these phones until the transaction ends. A name that comes while its lead is created is either
 * there before the lead, or finds the lead.
 */
export async function lockContacts(sql: TransactionSql, storeId: string, phones: readonly string[]): Promise<void> {
  const names = phones.map((phone) => `crm contact ${storeId} ${canonicalPhone(phone)}`);
  await sql`
    select pg_advisory_xact_lock(key)
    from (select hashtextextended(name, 0) as key from unnest(${names}::text[]) as name order by key) as ordered`;
}

/** Keeps the names of contacts who are no leads, and forgets removed ones. The caller has locked them. */
export async function keepContactNames(
  sql: TransactionSql,
  storeId: string,
  contacts: readonly ContactName[],
): Promise<void> {
  // The last one of each phone.
  const last = new Map(
    contacts.toSorted((one, other) => +one.at - +other.at).map((one) => [canonicalPhone(one.phone), one]),
  );
  const told = [...last].map(([phone_key, { name, at }]) => ({ phone_key, name, at }));
  const [named, removed] = [told.filter(({ name }) => name !== null), told.filter(({ name }) => name === null)];
  const rowsOf = (some: typeof told) => sql`
    json_to_recordset(${sql.json(some as never)}::json) as told (phone_key text, name text, at timestamptz)`;
  if (removed.length > 0) {
    await sql`
      delete from contact_names known using ${rowsOf(removed)}
      where known.store_id = ${storeId} and known.phone_key = told.phone_key and known.named_at <= told.at`;
  }
  if (named.length > 0) {
    await sql`
      insert into contact_names as known (store_id, phone_key, name, named_at, kept_until)
      select ${storeId}::uuid, phone_key, name, at, clock_timestamp() + ${keptDays} * interval '1 day'
      from ${rowsOf(named)}
      on conflict (store_id, phone_key) do update
      set name = excluded.name, named_at = excluded.named_at, kept_until = excluded.kept_until
      where known.named_at < excluded.named_at`;
  }
}

/** The name that was kept for a customer whose lead is created now. It is kept no longer. The caller has locked it. */
export async function takeContactName(
  sql: TransactionSql,
  storeId: string,
  phone: string,
): Promise<{ readonly name: string; readonly at: Date } | undefined> {
  const [row] = await sql<{ name: string; at: Date }[]>`
    delete from contact_names where store_id = ${storeId} and phone_key = ${canonicalPhone(phone)}
    returning name, named_at as at`;
  return row;
}

/** Forgets the contacts who have not written. */
export const purgeContactNames = (database: SystemDatabase): Promise<void> =>
  database.write({ deadline: Date.now() + 10_000 }, async (sql) => {
    await sql`delete from contact_names where kept_until < now()`;
  });
