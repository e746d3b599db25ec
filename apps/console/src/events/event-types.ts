import type { EventType } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

const groupNames = {
  lead: m.area_leads,
  message: m.area_messages,
  session: m.events_sessions,
  appointment: m.area_appointments,
  followup: m.area_followups,
  seller: m.area_sellers,
  agent: m.area_agents,
  document: m.area_knowledge,
};
type Group = keyof typeof groupNames;

/** Every type of event, with what it is about. A new type fails the type check here. */
const groupOf: Record<EventType, Group> = {
  'lead.created': 'lead',
  'lead.updated': 'lead',
  'lead.merged': 'lead',
  'lead.opted_out': 'lead',
  'lead.opted_in': 'lead',
  'message.received': 'message',
  'message.queued': 'message',
  'message.sent': 'message',
  'message.delivered': 'message',
  'message.read': 'message',
  'message.failed': 'message',
  'message.cancelled': 'message',
  'message.unsettled': 'message',
  'conversation.read': 'message',
  'session.started': 'session',
  'session.ended': 'session',
  'appointment.created': 'appointment',
  'appointment.updated': 'appointment',
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

type TypeGroup = { readonly group: string; readonly name: string; readonly types: readonly EventType[] };

/** The types as people choose them: by what they are about. */
export const typesByGroup = (): TypeGroup[] =>
  (Object.keys(groupNames) as Group[]).map((group) => ({
    group,
    name: groupNames[group](),
    types: eventTypes.filter((type) => groupOf[type] === group),
  }));
