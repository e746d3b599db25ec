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

/**
 * Keeps what contacts who are no leads are called. A removal is kept, too: a name from before it may come later. The caller
 * has locked them.
 */
export async function keepContactNames(
  sql: TransactionSql,
  storeId: string,
  contacts: readonly ContactName[],
): Promise<void> {
  if (contacts.length === 0) return;
  // The last one of each phone.
  const last = new Map(
    contacts.toSorted((one, other) => +one.at - +other.at).map((one) => [canonicalPhone(one.phone), one]),
  );
  const told = [...last].map(([phone_key, { name, at }]) => ({ phone_key, name, at }));
  await sql`
    insert into contact_names as known (store_id, phone_key, name, named_at, kept_until)
    select ${storeId}::uuid, phone_key, name, at, clock_timestamp() + ${keptDays} * interval '1 day'
    from json_to_recordset(${sql.json(told as never)}::json) as told (phone_key text, name text, at timestamptz)
    on conflict (store_id, phone_key) do update
    set name = excluded.name, named_at = excluded.named_at, kept_until = excluded.kept_until
    where known.named_at < excluded.named_at or (known.named_at = excluded.named_at and excluded.name is null)`;
}

/** What is kept of these phones, by canonical form. The caller has locked them. */
export async function findContactNames(
  sql: TransactionSql,
  storeId: string,
  phones: readonly string[],
): Promise<ReadonlyMap<string, Omit<ContactName, 'phone'>>> {
  const rows = await sql<{ phone_key: string; name: string | null; at: Date }[]>`
    select phone_key, name, named_at as at from contact_names
    where store_id = ${storeId} and phone_key = any(${phones.map(canonicalPhone)}::text[])`;
  return new Map(rows.map(({ phone_key, name, at }) => [phone_key, { name, at }]));
}

/** Forgets what is kept of phones whose leads have it now. The caller has locked them. */
export async function forgetContactNames(
  sql: TransactionSql,
  storeId: string,
  phones: readonly string[],
): Promise<void> {
  await sql`
    delete from contact_names
    where store_id = ${storeId} and phone_key = any(${phones.map(canonicalPhone)}::text[])`;
}

/** Forgets the contacts who have not written. */
export const purgeContactNames = (database: SystemDatabase): Promise<void> =>
  database.write({ deadline: Date.now() + 10_000 }, async (sql) => {
    await sql`delete from contact_names where kept_until < now()`;
  });
