import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { cancelFollowups } from './cancel-followups.ts';
import { findFollowup } from './followup.repository.ts';
import { wakeFollowup } from './followup.ts';

/** The events of messaging that concern follow-ups. */
export const messagingEvents = [
  'messaging.message.received',
  'messaging.lead.opted_out',
  'messaging.message.sent',
  'messaging.message.failed',
  'messaging.message.cancelled',
] as const;

/**
 * Cancels follow-ups and wakes those whose message was settled. Both only save time: messaging checks replies and
 * opt-outs again when a follow-up fires, and a step polls the outcome. Idempotent, in any order and after any delay.
 */
export const onMessagingEvent =
  ({ database, relay }: Pick<Dependencies, 'database' | 'relay'>) =>
  async (event: EventOf<(typeof messagingEvents)[number]>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId } = event;
    // Most messages do not come from follow-ups and need no query.
    if ('source' in event.data && event.data.source !== 'followup') return;
    const changed = await database.write({ storeId, deadline }, async (sql) => {
      switch (event.type) {
        case 'messaging.message.received':
          return await cancelFollowups(sql, storeId, {
            leadId: event.data.lead_id,
            reason: 'lead_replied',
            createdBefore: toInstant(event.data.received_at),
          });
        case 'messaging.lead.opted_out':
          // Later follow-ups stay, because the lead may have opted in again. Messaging checks that when they fire.
          return await cancelFollowups(sql, storeId, {
            leadId: event.data.lead_id,
            reason: 'opted_out',
            createdBefore: toInstant(event.occurred_at),
          });
        default: {
          // The message of a follow-up has the follow-up's id.
          const [followup] = await findFollowup(sql, storeId, event.data.message_id);
          // A running step gets the outcome in the reply of messaging.
          if (followup?.status !== 'sending' || followup.lease_until !== null) return 0;
          await appendOutbox(sql, storeId, [wakeFollowup(followup, 'message_settled')]);
          return 1;
        }
      }
    });
    if (changed > 0) relay.nudge();
  };
