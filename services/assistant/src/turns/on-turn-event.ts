import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import type { Dependencies } from '../dependencies.ts';
import { onLeadMerged } from './on-lead-merged.ts';
import { onMessageReceived } from './on-message-received.ts';
import type { TurnStarter } from './start-due.ts';

/** The events that open, extend or move a turn. */
export const eventsOfTurns = ['messaging.message.received', 'crm.lead.merged'] as const;

export const onTurnEvent = (
  tools: Pick<Dependencies, 'database'> & { readonly starter: Pick<TurnStarter, 'expect'> },
) => {
  const [received, merged] = [onMessageReceived(tools), onLeadMerged(tools)];
  return (event: EventOf<(typeof eventsOfTurns)[number]>, context: { deadline: number }): Promise<void> =>
    event.type === 'crm.lead.merged' ? merged(event, context) : received(event, context);
};
