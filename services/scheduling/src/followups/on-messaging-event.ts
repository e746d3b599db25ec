import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { answerReminder } from '../reminders/answer-reminder.ts';
import { cancelFollowups } from './cancel-followups.ts';
import { findConcerned, findFollowup } from './followup.repository.ts';
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
 * opt-outs again when a follow-up fires, and a step polls the outcome. A message of a lead may also answer a reminder.
 * Idempotent, in any order and after any delay.
 */
export const onMessagingEvent =
  ({ database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>) =>
  async (event: EventOf<(typeof messagingEvents)[number]>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId } = event;
    // Most messages do not come from follow-ups and need no query.
    if ('source' in event.data && event.data.source !== 'followup') return;
    const scope = { storeId, deadline };
    if (event.type === 'messaging.message.received') {
      const { lead_id: leadId, message_id: messageId, received_at } = event.data;
      const cause = { leadId, reason: 'lead_replied', createdBefore: toInstant(received_at) } as const;
      // As a rule a lead who writes has no follow-up, so that no transaction is needed.
      const concerned = await database.lookUp(scope, (sql) => findConcerned(sql, storeId, cause));
      if (concerned.length > 0 && (await database.write(scope, (sql) => cancelFollowups(sql, storeId, cause))) > 0) {
        relay.nudge();
      }
      return await answerReminder({ database, rpc, relay }, { storeId, leadId, messageId, deadline });
    }
    const changed = await database.write(scope, async (sql) => {
      switch (event.type) {
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
