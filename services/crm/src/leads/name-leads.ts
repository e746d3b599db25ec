import type { nameLeads as operation, RequestOf } from '@mostrador/contracts';
import { isSamePhone, phoneForms } from '@mostrador/kit/phones/canonical-phone';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { listLeadsWithPhones, lockLead, saveChannelName } from './lead.repository.ts';
import { type LeadRow, renameLead } from './lead.ts';
import { saveChange } from './save-change.ts';

type Contact = RequestOf<typeof operation>['body']['contacts'][number];

export const nameLeads =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { contacts } }) => {
    const { storeId } = context;
    const forms = contacts.flatMap(({ customer_phone }) => phoneForms(customer_phone));
    const leads = await database.read(context, (sql) => listLeadsWithPhones(sql, storeId, forms));
    const renamed = contacts.flatMap((contact) => {
      const lead = leadOf(leads, contact);
      return lead && renameLead(lead, contact.name, toInstant(contact.at)) ? [{ id: lead.id, contact }] : [];
    });
    // Most of an address book changes nothing.
    if (renamed.length === 0) return { done: true };
    await database.write(context, async (sql) => {
      // In one order, so that two transactions do not wait for each other.
      for (const { id, contact } of renamed.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
        const current = await lockLead(sql, storeId, id);
        const at = toInstant(contact.at);
        const changed = current && renameLead(current, contact.name, at);
        if (!changed) continue;
        await saveChannelName(sql, current, contact.name, at);
        if (contact.name !== current.name) await saveChange(sql, current, changed);
      }
    });
    relay.nudge();
    return { done: true };
  };

/** The lead of a contact: that with its phone as it stands, else in another form. */
function leadOf(leads: readonly LeadRow[], { customer_phone: phone }: Contact): LeadRow | undefined {
  const exact = leads.find((lead) => lead.customer_phone === phone);
  return exact ?? leads.find((lead) => lead.customer_phone !== null && isSamePhone(lead.customer_phone, phone));
}
