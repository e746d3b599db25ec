import { randomUUID } from 'node:crypto';
import { listLeadContacts } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { Dependencies } from '../dependencies.ts';
import { leadEvents, onLeadEvent } from '../inbox/on-lead-event.ts';
import { hasKept } from './kept-effect.repository.ts';
import { idsOf, takeKept } from './take-kept.ts';

/** The events of crm that messaging follows. */
export const crmEvents = [...leadEvents, 'crm.leads.imported'] as const;

type Tools = Pick<Dependencies, 'database' | 'rpc' | 'relay'>;

/** Follows leads, and gives new ones what the channel told of them before. Idempotent, in any order and after any delay. */
export const onCrmEvent =
  (tools: Tools) =>
  async (event: EventOf<(typeof crmEvents)[number]>, limits: { deadline: number }): Promise<void> => {
    if (event.type !== 'crm.leads.imported') await onLeadEvent(tools)(event, limits);
    const scope = { requestId: randomUUID(), storeId: event.store_id, ...limits };
    if (event.type === 'crm.leads.imported') await takeKeptOf(tools, scope, event.data.lead_ids);
    if (event.type === 'crm.lead.created' || event.type === 'crm.lead.phone_changed')
      await takeKeptOf(tools, scope, [event.data.lead_id]);
  };

/** The first message to or from a lead finds what is kept, too: this makes it show before. */
async function takeKeptOf(tools: Tools, scope: StoreScope & CallContext, lead_ids: string[]): Promise<void> {
  if (!(await tools.database.read(scope, (sql) => hasKept(sql, scope.storeId)))) return;
  const { contacts } = await tools.rpc.call(listLeadContacts, { body: { lead_ids } }, scope);
  const leads = contacts.map((contact) => ({ leadId: contact.id, ids: idsOf(contact) }));
  await takeKept(tools, scope, leads);
}
