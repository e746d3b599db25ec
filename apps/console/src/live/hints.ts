import type { QueryKey } from '@tanstack/react-query';

/** What the feed says to a page: what happened to what. The page reads again what it shows of it. */
export type Hint = {
  readonly sequence: number;
  readonly type: string;
  readonly entity: { readonly type: string; readonly id: string };
  readonly lead_id?: string;
};

/** Of any day, service and person. */
const freeTimes: QueryKey = ['appointments', 'free'];

type Keys = (id: string, leadId: string) => readonly QueryKey[];

/** The queries that may show an entity, by its type. */
const keysOf: Readonly<Record<string, Keys>> = {
  agent: () => [['agents']],
  appointment: (id) => [['appointments'], ['appointment', id]],
  // What the AI asks a person for is known when the conversation is handed over, and changes with what the lead is told.
  conversation: (_, leadId) => [['conversations'], ['conversation', leadId], ['explanation', leadId]],
  document: () => [['documents']],
  followup: (id) => [['followups'], ['followup', id]],
  lead: (_, leadId) => [['leads'], ['lead', leadId], ['conversations']],
  // A message of the lead opens the reply window.
  message: (_, leadId) => [['messages', leadId], ['conversations'], ['conversation', leadId], ['explanation', leadId]],
  // The free times of a seller may be others.
  seller: () => [['sellers'], ['leads'], ['conversations'], freeTimes],
  // The end of a session may be the answer for which the lead waited.
  session: (_, leadId) => [['sessions', leadId], ['conversations']],
  // Also its budget of the AI.
  store: () => [['store'], ['ai']],
};

/** Of events about the store that concern only a part of it. */
const keysOfType: Readonly<Record<string, readonly QueryKey[]>> = {
  'booking.changed': [['booking'], freeTimes],
  'channel.number_changed': [['channel']],
};

/**
 * What to read once more a moment after a hint, if anything. The inbox shows copies of leads in messaging, which follow
 * crm on their own: they may be older than the event.
 */
export const laterHintOf = ({ entity, ...hint }: Hint): Hint | undefined =>
  entity.type === 'lead' || entity.type === 'seller'
    ? { ...hint, entity: { type: 'conversation', id: hint.lead_id ?? entity.id } }
    : undefined;

/** What needs the attention of an operator may change with these. */
const ofOperations = /^(message[.](failed|unknown|unsettled|sent|cancelled)|followup[.](sent|failed|cancelled))$/;

/** The keys of the queries that a hint concerns. Every hint is a new row of the event log. */
export function keysOfHint({ type, entity, lead_id }: Hint): readonly QueryKey[] {
  const leadId = lead_id ?? entity.id;
  const shown = keysOfType[type] ?? keysOf[entity.type]?.(entity.id, leadId) ?? [];
  return [...shown, ['events'], ...(ofOperations.test(type) ? [['waiting']] : [])];
}
