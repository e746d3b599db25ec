import type { nameLeads as operation } from '@mostrador/contracts';
import { isSamePhone, phoneForms } from '@mostrador/kit/phones/canonical-phone';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { type ContactName, keepContactNames, lockContacts } from './contact-name.repository.ts';
import { listLeadsWithPhones, lockLead } from './lead.repository.ts';
import { type LeadRow, renameLead } from './lead.ts';
import { nameByContact } from './name-by-contact.ts';

export const nameLeads =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { contacts } }) => {
    const { storeId } = context;
    const named = contacts.map(({ customer_phone, name, at }) => ({ phone: customer_phone, name, at: toInstant(at) }));
    const forms = named.flatMap(({ phone }) => phoneForms(phone));
    await database.write(context, async (sql) => {
      await lockContacts(
        sql,
        storeId,
        named.map(({ phone }) => phone),
      );
      const leads = await listLeadsWithPhones(sql, storeId, forms);
      const known = named.flatMap((contact) => {
        const lead = leadOf(leads, contact);
        return lead ? [{ lead, contact }] : [];
      });
      const ofLeads = new Set(known.map(({ contact }) => contact));
      await keepContactNames(
        sql,
        storeId,
        named.filter((contact) => !ofLeads.has(contact)),
      );
      // In one order, so that two transactions do not wait for each other. Most of an address book changes nothing.
      for (const { lead, contact } of known.toSorted((one, other) => (one.lead.id < other.lead.id ? -1 : 1))) {
        if (!renameLead(lead, contact.name ?? lead.name, contact.at)) continue;
        const current = await lockLead(sql, storeId, lead.id);
        if (current) await nameByContact(sql, current, contact);
      }
    });
    relay.nudge();
    return { done: true };
  };

/** The lead of a contact: that with its phone as it stands, else in another form. */
function leadOf(leads: readonly LeadRow[], { phone }: ContactName): LeadRow | undefined {
  const exact = leads.find((lead) => lead.customer_phone === phone);
  return exact ?? leads.find((lead) => lead.customer_phone !== null && isSamePhone(lead.customer_phone, phone));
}
