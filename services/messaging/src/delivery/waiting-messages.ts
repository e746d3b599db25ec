import { deliveryShardId, deliveryShardOf, deliveryShardWorkflow } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import { findLiveChannel } from '../channels/channel.repository.ts';
import { applyStatusUpdates } from './apply-status-updates.ts';
import { lockQueue } from './delivery.repository.ts';
import { lockMessage } from './lock-message.ts';
import { fail } from './record-final.ts';
import { settlementOf } from './settle-message.ts';
import { findMessageStores, findWaitingMessages, makeHeadDue, type WaitingMessageRow } from './waiting.repository.ts';
import { wakeDelivery } from './wake-overdue.ts';

/** Messages without an outcome. The conversation's lock, which a step holds too, keeps their changes apart. */
export const waitingMessages: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingMessages(sql, storeId, rows);
    return found.map((row) =>
      toWaitingItem({ ...row, kind: 'message', workflow_id: workflowOf(storeId, row) }, causeOf(row)),
    );
  },

  findStores: findMessageStores,

  /** The messages before it in the lead's queue go first, so the head is what is retried. */
  async retry(sql, storeId, { id, lead_id }) {
    const { message } = await lockMessage(sql, storeId, { id, lead_id: lead_id as string });
    if (message.status === 'unknown') return 'unknown_outcome';
    if (message.status !== 'queued' && message.status !== 'sending') return 'not_waiting';
    const [{ head }, channel] = await Promise.all([
      lockQueue(sql, storeId, message.lead_id),
      findLiveChannel(sql, storeId),
    ]);
    if (!head) return 'not_waiting';
    if (head.status === 'sending' && head.lease_until && head.lease_until > head.now) return 'running';
    if (!channel) return 'not_connected';
    if (channel.status === 'needs_attention') return 'needs_attention';
    await makeHeadDue(sql, storeId, head.id);
    await appendOutbox(sql, storeId, [wakeDelivery(storeId, 'retried')]);
    return 'done';
  },

  async giveUp(sql, storeId, { id, lead_id }, { unknown_as }) {
    const { message } = await lockMessage(sql, storeId, { id, lead_id: lead_id as string });
    switch (message.status) {
      case 'queued':
        await fail(sql, storeId, id, givenUp);
        // The messages behind it waited for it.
        await appendOutbox(sql, storeId, [wakeDelivery(storeId, 'message_settled')]);
        return 'done';
      case 'sending':
        return 'running';
      case 'unknown':
        if (!unknown_as) return 'unknown_outcome';
        await applyStatusUpdates(sql, storeId, message, [settlementOf(unknown_as)]);
        return 'done';
      default:
        return 'not_waiting';
    }
  },
};

const givenUp = { code: 'given_up', detail: 'A person gave the message up before it was sent.' };

/** No workflow runs for a message whose outcome is unknown, unless others of its lead wait. */
const workflowOf = (storeId: string, { status }: WaitingMessageRow): string | null =>
  status === 'unknown' ? null : deliveryShardWorkflow.workflowId(deliveryShardId(deliveryShardOf(storeId)));

/** Why a message waits. Pure. */
function causeOf(row: WaitingMessageRow): WaitingCause {
  const { now, status, lease_until, error_code: code } = row;
  if (status === 'unknown') {
    return { reason: code === 'restored' ? 'restored' : 'unknown_outcome', until: null, code };
  }
  if (status === 'sending') {
    return lease_until && lease_until > now ? { reason: 'running', until: lease_until } : { reason: 'due', until: now };
  }
  const until = row.head_next_attempt_at;
  if (row.channel_status === null) return { reason: 'not_connected', until: null, code };
  if (row.channel_status === 'needs_attention') {
    return { reason: 'needs_attention', until: null, code: row.channel_error };
  }
  if (!row.is_head) return { reason: 'behind_another', until: null };
  if (!until || until <= now) return { reason: 'due', until, code };
  if (row.wait_reason) return { reason: row.wait_reason, until, code };
  const paused = row.channel_paused_until !== null && row.channel_paused_until > now;
  return { reason: code === null || paused ? 'postponed' : 'failed_attempt', until, code };
}
