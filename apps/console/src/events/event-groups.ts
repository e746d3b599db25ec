import type { EventType } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { type EventGroup, eventGroups, eventTypes, groupOf } from './event-types.ts';

const groupNames: Record<EventGroup, () => string> = {
  lead: m.area_leads,
  message: m.area_messages,
  session: m.events_sessions,
  appointment: m.area_appointments,
  followup: m.area_followups,
  seller: m.area_sellers,
  agent: m.area_agents,
  document: m.area_knowledge,
};

type TypeGroup = { readonly group: string; readonly name: string; readonly types: readonly EventType[] };

/** The types as people choose them: by what they are about. */
export const typesByGroup = (): TypeGroup[] =>
  eventGroups.map((group) => ({
    group,
    name: groupNames[group](),
    types: eventTypes.filter((type) => groupOf[type] === group),
  }));
