import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, type PublicEvent } from '@mostrador/kit/outbox/outbox';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { type ConversationRow, countWaiting } from '../conversations/conversation.repository.ts';
import { overtakeQueuedAi } from '../delivery/cancel-queued-ai.ts';
import { saveHandover, unanswer } from './handover.repository.ts';
import { agentOfChannel, standbyPauseMinutes } from './pause-of.ts';

type Handover = Extract<InboundEffect, { kind: 'handover' }>;

const pause = { minutes: standbyPauseMinutes, by: agentOfChannel };

/**
 * Takes note of who answers a conversation from now on. In both cases the AI of the store is silent. When it is the store,
 * a person must answer: what the other agent wrote answers nothing, as a hand-over of the AI answers nothing. The caller
 * holds the lock of the conversation.
 */
export async function takeHandover(
  sql: TransactionSql,
  storeId: string,
  { lead_id: leadId, next_number: before }: ConversationRow,
  { at, owner }: Handover,
): Promise<void> {
  if (!(await saveHandover(sql, storeId, leadId, { at, owner, pause }))) return;
  if (owner === 'store') {
    await unanswer(sql, storeId, leadId);
    await countWaiting(sql, storeId, leadId);
  }
  await appendOutbox(sql, storeId, [
    ...(await overtakeQueuedAi(sql, storeId, { leadId, before })),
    ...(owner === 'store' ? [handedOver(leadId)] : []),
  ]);
}

const handedOver = (lead_id: string): PublicEvent => ({
  ...{ kind: 'feed', type: 'conversation.handed_over', entityId: lead_id, etag: null, data: { lead_id } },
  object: undefined,
});
