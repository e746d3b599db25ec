import type { StoreScope } from '@mostrador/kit/database/database';
import { appendOutbox, type PublicEvent } from '@mostrador/kit/outbox/outbox';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { countWaiting, ensureConversation } from '../conversations/conversation.repository.ts';
import { overtakeQueuedAi } from '../delivery/cancel-queued-ai.ts';
import type { Dependencies } from '../dependencies.ts';
import { agentOfChannel, standbyPauseMinutes } from './accept-echo.ts';
import { isLate } from './came-at.ts';
import { findLeadOfCustomer } from './find-lead-of-customer.ts';
import { saveHandover, unanswer } from './handover.repository.ts';

type Handover = Extract<InboundEffect, { kind: 'handover' }>;

const pause = { minutes: standbyPauseMinutes, by: agentOfChannel };

/**
 * Takes note of who answers a conversation from now on. In both cases the AI of the store is silent. When it is the store,
 * a person must answer: what the other agent wrote answers nothing, as a hand-over of the AI answers nothing. Repeats
 * and any order are safe. A customer who is no lead changes nothing, nor does what comes a day late.
 */
export async function takeHandover(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  { customer, at, owner }: Handover,
): Promise<void> {
  if (isLate(new Date(), at)) return;
  const { storeId } = context;
  const found = await findLeadOfCustomer(tools, context, customer, at);
  if (!found) return;
  const { leadId, confirmed } = found;
  await tools.database.write(context, async (sql) => {
    const { next_number: before } = await ensureConversation(sql, storeId, leadId, confirmed);
    if (!(await saveHandover(sql, storeId, leadId, { at, owner, pause }))) return;
    if (owner === 'store') {
      await unanswer(sql, storeId, leadId);
      await countWaiting(sql, storeId, leadId);
    }
    await appendOutbox(sql, storeId, [
      ...(await overtakeQueuedAi(sql, storeId, { leadId, before })),
      ...(owner === 'store' ? [handedOver(leadId)] : []),
    ]);
  });
  tools.relay.nudge();
}

const handedOver = (lead_id: string): PublicEvent => ({
  ...{ kind: 'feed', type: 'conversation.handed_over', entityId: lead_id, etag: null, data: { lead_id } },
  object: undefined,
});
