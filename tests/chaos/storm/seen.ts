import type { Kind } from './journal.ts';

// What a run left behind, wherever it shows. Plain data: the invariants read it, and their tests damage it.

/** A row of what clients ask for. */
export type Row = {
  kind: Kind;
  id: string;
  store_id: string;
  lead_id: string | null;
  mark: string;
  status: string;
  created_at: Date;
  /** What the client gave and can be changed or not, by the API's names. */
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
};

export type FollowupRow = {
  id: string;
  store_id: string;
  mark: string;
  status: string;
  due_at: Date;
  message_id: string | null;
};

export type Seen = {
  rows: Row[];
  messages: MessageRow[];
  followups: FollowupRow[];
  /** Of every appointment; null: it was never to be synced. */
  syncs: { appointment_id: string; state: string | null; attempts: number; last_error_code: string | null }[];
  /** How many messages a lead's conversation has, as messaging counts them and as crm was told. */
  interactions: { lead_id: string; counted: number; told: number }[];
  /** Rows that wait to be handed on, by where. */
  waiting: { where: string; count: number }[];
  workflows: { id: string; status: string; storeId: string }[];
  /** What the providers took, in the order in which they did. */
  taken: { storeId: string; to: string; text: string; atMs: number }[];
  calendars: { storeId: string; kind: string; events: { id: string; title: string }[] }[];
  published: { type: string; entityId: string; storeId: string }[];
  /** Rows that name a row of another store. */
  strays: string[];
  /** What `amcheck` says. */
  corruption: string[];
};
