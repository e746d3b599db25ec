import type { EventOf } from '@mostrador/kit/delivery/events-consumer';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { cancelFollowups } from './cancel-followups.ts';
import { findFollowup } from './followup.repository.ts';
import { wakeFollowup } from './wake-followup.ts';

/** What messaging tells that concerns follow-ups. */
export const messagingEvents = [
  'messaging.message.received',
  'messaging.lead.opted_out',
  'messaging.message.sent',
  'messaging.message.failed',
] as const;

/**
 * Calls follow-ups off early, and wakes those whose message was settled. It only makes things quicker: when a follow-up
 * fires, messaging decides anew, and its step asks again by itself. Safe to repeat, in any order and however late.
 */
export const onMessagingEvent =
  ({ database, relay }: Pick<Dependencies, 'database' | 'relay'>) =>
  async (event: EventOf<(typeof messagingEvents)[number]>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId } = event;
    // Most messages are no follow-up's: nothing is asked of the database for them.
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
          // Not what was planned since: the lead may have opted in again, and is asked for when it fires.
          return await cancelFollowups(sql, storeId, {
            leadId: event.data.lead_id,
            reason: 'opted_out',
            createdBefore: toInstant(event.occurred_at),
          });
        default: {
          // A follow-up's message has its id.
          const followup = await findFollowup(sql, storeId, event.data.message_id);
          // A step that is at it hears it from messaging.
          if (followup?.status !== 'sending' || followup.lease_until !== null) return 0;
          await appendOutbox(sql, storeId, [wakeFollowup(followup, 'message_settled')]);
          return 1;
        }
      }
    });
    if (changed > 0) relay.nudge();
  };
