import type { EventType } from '../api/platform.ts';

/** What events are about. */
export const eventGroups = [
  'lead',
  'message',
  'session',
  'appointment',
  'followup',
  'seller',
  'agent',
  'document',
] as const;
export type EventGroup = (typeof eventGroups)[number];

/** Every type of event, with what it is about. A new type fails the type check here. */
export const groupOf: Record<EventType, EventGroup> = {
  'lead.created': 'lead',
  'lead.updated': 'lead',
  'lead.merged': 'lead',
  'lead.opted_out': 'lead',
  'lead.opted_in': 'lead',
  'assistant.replied': 'lead',
  'assistant.silent': 'lead',
  'assistant.handed_over': 'lead',
  'assistant.budget_reached': 'message',
  'message.received': 'message',
  'message.queued': 'message',
  'message.unknown': 'message',
  'message.sent': 'message',
  'message.delivered': 'message',
  'message.read': 'message',
  'message.failed': 'message',
  'message.cancelled': 'message',
  'message.unsettled': 'message',
  'message.updated': 'message',
  'conversation.read': 'message',
  'conversation.handed_over': 'message',
  'template.status_changed': 'message',
  'template.updated': 'message',
  'channel.number_changed': 'message',
  'budget.reached': 'message',
  'session.started': 'session',
  'session.ended': 'session',
  'appointment.created': 'appointment',
  'appointment.updated': 'appointment',
  'appointment.moved': 'appointment',
  'appointment.cancelled': 'appointment',
  'appointment.confirmed': 'appointment',
  'appointment.change_refused': 'appointment',
  'booking.changed': 'appointment',
  'followup.scheduled': 'followup',
  'followup.updated': 'followup',
  'followup.sent': 'followup',
  'followup.failed': 'followup',
  'followup.cancelled': 'followup',
  'seller.created': 'seller',
  'seller.updated': 'seller',
  'seller.deleted': 'seller',
  'agent.created': 'agent',
  'agent.updated': 'agent',
  'document.imported': 'document',
};
export const eventTypes = Object.keys(groupOf) as EventType[];

export const isEventType = (text: unknown): text is EventType => eventTypes.some((type) => type === text);
