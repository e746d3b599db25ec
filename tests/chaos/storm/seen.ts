import type { Conversation } from '../exact/answers.ts';
import type { Kind } from './journal.ts';

// Everything that a run left behind. Plain data, because the damages change copies of it.

/** A row that a client's request creates. */
export type Row = {
  kind: Kind;
  id: string;
  store_id: string;
  lead_id: string | null;
  mark: string;
  status: string;
  created_at: Date;
  /** Members of the request, by their names in the API. Some can be changed later. */
  content: Record<string, string | number | null>;
};

export type MessageRow = {
  id: string;
  store_id: string;
  lead_id: string;
  /** The order of acceptance within the conversation. */
  number: number;
  direction: 'inbound' | 'outbound';
  body: string;
  status: string;
  provider_message_id: string | null;
  created_at: Date;
};

export type FollowupRow = {
  id: string;
  store_id: string;
  mark: string;
  status: string;
  due_at: Date;
  message_id: string | null;
};

/** An event of the public feed. */
export type FeedEvent = {
  id: string;
  storeId: string;
  sequence: number;
  type: string;
  entityType: string;
  entityId: string;
  version: number;
};

/** A process that ended although the storm neither stopped nor killed it. */
export type Ending = { process: string; how: string; at: string; lastLine: string };

/** A store whose appointments take places, and whose calendar another program changes. Times are epoch milliseconds. */
export type BookedStore = {
  storeId: string;
  /** How many appointments without a seller may run at once. */
  capacity: number;
  /** `placeFrom`: the start of the appointment whose place it is; null: it has no place. */
  appointments: {
    id: string;
    mark: string;
    status: string;
    sellerId: string | null;
    start: number;
    minutes: number;
    placeFrom: number | null;
  }[];
  /** The events of appointments in the calendar. */
  events: { id: string; start: number; minutes: number }[];
};

export type Seen = {
  rows: Row[];
  messages: MessageRow[];
  followups: FollowupRow[];
  /** One per appointment. A null state means that the appointment has no calendar sync. */
  syncs: { appointment_id: string; state: string | null; attempts: number; last_error_code: string | null }[];
  /** The message count of a lead's conversation: `counted` by messaging, `told` is the copy in crm. */
  interactions: { lead_id: string; counted: number; told: number }[];
  /** Every lead, with the ids of its customer. */
  people: { id: string; storeId: string; phone: string | null; userId: string | null; previousId: string | null }[];
  /** The leads that were merged into another one, with the ids that they had. */
  merges: { id: string; storeId: string; keptId: string; phone: string | null; userId: string | null }[];
  /** Entries left in each outbox, on their way to the feed, and in the inbox of messaging. */
  waiting: { where: string; count: number }[];
  workflows: { id: string; status: string; storeId: string }[];
  /** Messages that the providers accepted, in order. */
  taken: { storeId: string; to: string; text: string; atMs: number }[];
  calendars: { storeId: string; kind: string; events: { id: string; title: string }[] }[];
  booked: BookedStore[];
  /** Those of the customers whom the AI answers. */
  conversations: Conversation[];
  published: { type: string; entityId: string; storeId: string }[];
  feed: FeedEvent[];
  /** What the webhook endpoints got, in the order of its arrival. Status 200: it was accepted. */
  webhooks: { storeId: string; id: string; sequence: number; entity: string; status: number }[];
  /** Requests to an endpoint without a valid signature. */
  forged: string[];
  endpoints: { id: string; storeId: string }[];
  /** Rows that name a row of another store. */
  strays: string[];
  endings: Ending[];
  /** Errors that `amcheck` reports. */
  corruption: string[];
};
