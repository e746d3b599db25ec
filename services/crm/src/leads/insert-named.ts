import type { TransactionSql } from '@mostrador/kit/database/database';
import { canonicalPhone, isSamePhone } from '@mostrador/kit/phones/canonical-phone';
import { findContactNames, forgetContactNames, lockContacts } from './contact-name.repository.ts';
import { insertLead, insertLeads, type NamedLead } from './lead.repository.ts';
import type { LeadRow, NewLead, NewLeadWithPhone } from './lead.ts';

/** Inserts a lead that a person or another system names, as `insertLead` does. */
export async function insertNamed(
  sql: TransactionSql,
  storeId: string,
  lead: NewLeadWithPhone,
): Promise<LeadRow | null> {
  const [named = lead] = await withContactNames(sql, storeId, [lead].filter(isUnnamed));
  const row = await insertLead(sql, storeId, named);
  if (row) await forgetNames(sql, storeId, [named]);
  return row;
}

/** As `insertNamed`, for the leads of an import. */
export async function insertAllNamed(
  sql: TransactionSql,
  storeId: string,
  leads: readonly NewLeadWithPhone[],
): Promise<LeadRow[]> {
  const named = await withContactNames(sql, storeId, leads.filter(isUnnamed));
  const byPhone = new Map(named.map((lead) => [lead.customer_phone, lead]));
  const rows = await insertLeads(
    sql,
    storeId,
    leads.map((lead) => byPhone.get(lead.customer_phone) ?? lead),
  );
  const inserted = new Set(rows.map(({ customer_phone }) => customer_phone));
  await forgetNames(
    sql,
    storeId,
    named.filter(({ customer_phone }) => inserted.has(customer_phone)),
  );
  return rows;
}

/** Inserts the lead of a customer whom the channel names by a profile. The store's telephone knows better. */
export async function insertOfChannel(sql: TransactionSql, storeId: string, lead: NewLead): Promise<LeadRow | null> {
  const { name, customer_phone } = lead;
  const [known] = customer_phone === null ? [] : await withContactNames(sql, storeId, [{ ...lead, customer_phone }]);
  const row = await insertLead(sql, storeId, { ...(known ?? lead), named: known?.named ?? { name, at: null } });
  if (row && known) await forgetNames(sql, storeId, [known]);
  return row;
}

/** Whether the name is only the phone, as a system writes it that knows no name. */
const isUnnamed = ({ name, customer_phone }: NewLeadWithPhone): boolean => isSamePhone(name, customer_phone);

type WithPhone = NamedLead & { readonly customer_phone: string };

/** The leads with the names that the store's telephone has for their phones. A name that was removed changes none. */
async function withContactNames(
  sql: TransactionSql,
  storeId: string,
  leads: readonly NewLeadWithPhone[],
): Promise<WithPhone[]> {
  if (leads.length === 0) return [];
  const phones = leads.map(({ customer_phone }) => customer_phone);
  await lockContacts(sql, storeId, phones);
  const kept = await findContactNames(sql, storeId, phones);
  return leads.map((lead) => {
    const contact = kept.get(canonicalPhone(lead.customer_phone));
    if (!contact) return lead;
    const name = contact.name ?? lead.name;
    return { ...lead, name, named: { name, at: contact.at } };
  });
}

/** What another transaction has not taken yet stays until its lead is there. */
async function forgetNames(sql: TransactionSql, storeId: string, leads: readonly WithPhone[]): Promise<void> {
  const phones = leads.flatMap(({ named, customer_phone }) => (named ? [customer_phone] : []));
  if (phones.length > 0) await forgetContactNames(sql, storeId, phones);
}
