import type { StoreScope } from '@mostrador/kit/database/database';
import { appendOutbox, type PublicEvent } from '@mostrador/kit/outbox/outbox';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { countWaiting } from '../conversations/conversation.repository.ts';
import { overtakeQueuedAi } from '../delivery/cancel-queued-ai.ts';
import type { Dependencies } from '../dependencies.ts';
import { agentOfChannel, standbyPauseMinutes } from './accept-echo.ts';
import { isLate } from './came-at.ts';
import { changeConversation } from './change-conversation.ts';
import { saveHandover, unanswer } from './handover.repository.ts';

type Handover = Extract<InboundEffect, { kind: 'handover' }>;

const pause = { minutes: standbyPauseMinutes, by: agentOfChannel };

/**
 * Takes note of who answers a conversation from now on. In both cases the AI of the store is silent. When it is the store,
 * a person must answer: what the other agent wrote answers nothing, as a hand-over of the AI answers nothing. Repeats
 * and any order are safe. What comes a day late changes nothing. Errors are those of `changeConversation`.
 */
export async function takeHandover(
  tools: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreScope & CallContext,
  channelId: string,
  handover: Handover,
): Promise<void> {
  const { at, owner } = handover;
  if (isLate(new Date(), at)) return;
  const { storeId } = context;
  await changeConversation(tools, context, channelId, handover, async (sql, leadId, { next_number: before }) => {
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
