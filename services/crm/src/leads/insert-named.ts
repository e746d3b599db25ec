import type { TransactionSql } from '@mostrador/kit/database/database';
import { canonicalPhone, isSamePhone } from '@mostrador/kit/phones/canonical-phone';
import { findContactNames, forgetContactNames, lockContacts } from './contact-name.repository.ts';
import { insertLead, insertLeads, type NamedLead } from './lead.repository.ts';
import type { LeadRow, NewLead, NewLeadWithPhone } from './lead.ts';

/** Inserts a lead that a person or another system names, as `insertLead` does. */
export const insertNamed = (sql: TransactionSql, storeId: string, lead: NewLeadWithPhone): Promise<LeadRow | null> =>
  isUnnamed(lead) ? insertByContact(sql, storeId, lead) : insertLead(sql, storeId, lead);

/** Inserts the lead of a customer whom the channel names by a profile. The store's telephone knows better. */
export const insertOfChannel = (sql: TransactionSql, storeId: string, lead: NewLead): Promise<LeadRow | null> =>
  insertByContact(sql, storeId, { ...lead, named: { name: lead.name, at: null } });

/** As `insertNamed`, for the leads of an import. */
export async function insertAllNamed(
  sql: TransactionSql,
  storeId: string,
  leads: readonly NewLeadWithPhone[],
): Promise<LeadRow[]> {
  const named = await namesOf(sql, storeId, leads.filter(isUnnamed));
  const rows = await insertLeads(
    sql,
    storeId,
    leads.map((lead) => named.get(lead.customer_phone) ?? lead),
  );
  const inserted = rows.flatMap(({ customer_phone }) => customer_phone ?? []);
  const taken = inserted.filter((phone) => named.has(phone));
  if (taken.length > 0) await forgetContactNames(sql, storeId, taken);
  return rows;
}

/** Inserts a lead under the name that the store's telephone has for its phone, if it has one. */
async function insertByContact(sql: TransactionSql, storeId: string, lead: NamedLead): Promise<LeadRow | null> {
  const { customer_phone: phone } = lead;
  if (phone === null) return await insertLead(sql, storeId, lead);
  const named = (await namesOf(sql, storeId, [{ ...lead, customer_phone: phone }])).get(phone);
  const row = await insertLead(sql, storeId, named ?? lead);
  // The name stays until a lead has it. Another transaction may insert that lead.
  if (row && named) await forgetContactNames(sql, storeId, [phone]);
  return row;
}

/** Whether the name is only the phone, as a system writes it that knows no name. */
const isUnnamed = ({ name, customer_phone }: NewLeadWithPhone): boolean => isSamePhone(name, customer_phone);

/** By phone, the leads for which the store's telephone has a name, with that name. A removed name changes none. */
async function namesOf<Lead extends NamedLead & NewLeadWithPhone>(
  sql: TransactionSql,
  storeId: string,
  leads: readonly Lead[],
): Promise<ReadonlyMap<string, Lead>> {
  if (leads.length === 0) return new Map();
  const phones = leads.map(({ customer_phone }) => customer_phone);
  await lockContacts(sql, storeId, phones);
  const kept = await findContactNames(sql, storeId, phones);
  return new Map(
    leads.flatMap((lead) => {
      const contact = kept.get(canonicalPhone(lead.customer_phone));
      if (!contact) return [];
      const name = contact.name ?? lead.name;
      return [[lead.customer_phone, { ...lead, name, named: { name, at: contact.at } }] as const];
    }),
  );
}
