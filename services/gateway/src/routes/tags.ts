import type { ApiRoute } from './route.ts';

/** The headings of the API document, in its order, and what stands under each. */
export const tags = {
  Appointments: 'Appointments of the store, and the state of their events in its calendar.',
  Booking: 'What can be booked and when: rules, services, free times, and places that are held for a moment.',
  'Follow-ups': 'Messages that are sent at a later time, unless something cancels them.',
  Leads: 'Customers in conversation with the store, each known by phone.',
  Sellers: 'Staff of the store to whom leads are assigned.',
  Agents: 'AI agents, and the conditions that choose one of them for a lead. Where the AI is on, that one answers.',
  Knowledge: 'Documents from which the AI agents answer, and full-text search in them.',
  Messages: 'Messages between the store and a lead, the sessions they belong to, and what may be sent now.',
  Templates: 'Messages that the channel approved in advance, to send at any time.',
  Events: 'What happened in the store, in order: to read later, to wait for, or as a stream.',
  Webhooks: 'Addresses of your own systems to which the events are sent, and what became of each delivery.',
  Reports: 'Counts over a period, of the store or of one lead, in any time zone.',
  'Event types': 'Every type of event, with its exact data, as the feed, the stream and webhooks show it.',
  Store: 'The store of the API key, and the key itself.',
  'Calendar feed': 'The store’s appointments as an iCalendar feed, to which calendar programs subscribe.',
} as const;

export type Tag = keyof typeof tags;

/** The heading of a route: that of what its scope is about. Without a scope it is about the key. */
export function tagOf({ scope }: ApiRoute): Tag {
  if (scope === null) return 'Store';
  const [resource] = scope.split(':');
  const tag = (Object.keys(tags) as Tag[]).find((each) => each.toLowerCase().replace('-', '') === resource);
  if (tag === undefined) throw new Error(`the API document has no heading for the scope ${scope}`);
  return tag;
}
