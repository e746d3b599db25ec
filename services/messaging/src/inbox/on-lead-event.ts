import { randomUUID } from 'node:crypto';
import { getLeadContact } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { followPhone } from '../conversations/change-contact-phone.ts';
import { conversationExists } from '../conversations/conversation.repository.ts';
import { unlessLeadGone } from '../conversations/unless-lead-gone.ts';
import type { Dependencies } from '../dependencies.ts';
import { followLeads, followLeadsOfSeller } from './catch-up.ts';

/** The events of crm that concern conversations. An imported lead has none yet. */
export const leadEvents = [
  'crm.lead.phone_changed',
  'crm.lead.created',
  'crm.lead.updated',
  'crm.lead.merged',
  'crm.seller.deleted',
] as const;

type Tools = Pick<Dependencies, 'database' | 'rpc'>;
type Scope = StoreScope & CallContext;

/**
 * Makes up for a `changeContactPhone` that did not arrive, and makes the inbox follow leads. Idempotent, in any order and
 * after any delay.
 */
export const onLeadEvent =
  (tools: Tools) =>
  async (event: EventOf<(typeof leadEvents)[number]>, { deadline }: { deadline: number }): Promise<void> => {
    const scope = { requestId: randomUUID(), storeId: event.store_id, deadline };
    switch (event.type) {
      case 'crm.lead.phone_changed':
        return await followContact(tools, scope, event.data.lead_id);
      case 'crm.seller.deleted':
        return await followLeadsOfSeller(tools, scope, event.data.seller_id);
      case 'crm.lead.merged':
        return await followLead(tools, scope, event.data.merged_into);
      default:
        return await followLead(tools, scope, event.data.lead_id);
    }
  };

async function followContact({ database, rpc }: Tools, scope: Scope, lead_id: string): Promise<void> {
  const contact = await unlessLeadGone(rpc.call(getLeadContact, { body: { lead_id } }, scope));
  if (!contact) return;
  const { customer_phone, version } = contact;
  if (customer_phone === null) return;
  await database.write(scope, (sql) => followPhone(sql, scope.storeId, { lead_id, customer_phone, version }));
}

async function followLead(tools: Tools, scope: Scope, leadId: string): Promise<void> {
  const isKnown = await tools.database.read(scope, (sql) => conversationExists(sql, scope.storeId, leadId));
  if (isKnown) await followLeads(tools, scope, [leadId]);
}
