import type { TransactionSql } from '@mostrador/kit/database/database';
import type { ContactName } from './contact-name.repository.ts';
import { saveChannelName } from './lead.repository.ts';
import { type LeadRow, renameLead } from './lead.ts';
import { saveChange } from './save-change.ts';

/**
 * The name of a locked lead becomes what the store's telephone calls its number, unless a person has named the lead. A
 * removal leaves the name. Only its time counts, so that a name from before it does not.
 */
export async function nameByContact(
  sql: TransactionSql,
  lead: LeadRow,
  contact: Pick<ContactName, 'name' | 'at'>,
): Promise<LeadRow> {
  const name = contact.name ?? lead.name;
  const renamed = renameLead(lead, name, contact.at);
  if (!renamed) return lead;
  await saveChannelName(sql, lead, name, contact.at);
  return name === lead.name ? lead : await saveChange(sql, lead, renamed);
}
