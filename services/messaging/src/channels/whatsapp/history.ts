import { inboundKinds } from '@mostrador/contracts';
import type { HistoryMessage, InboundEffect, MessageChange } from '../channel-provider.ts';
import { array, member, text } from '../json.ts';
import {
  customerOf,
  type Entry,
  idsIn,
  isFromStore,
  isSomebody,
  kindOfContent,
  type NamedCustomer,
  readMessage,
  readMessageChange,
} from './inbound-entry.ts';

// Reads webhooks of the field `history`: what was written in the WhatsApp Business app in the six months before the number
// was connected. The forms are those of Meta's reference of coexistence (2026-11).

/** The most messages that one transaction stores, or changes. It locks the id of each, and PostgreSQL has room for some thousand locks. */
const mostTogether = 200;

const statuses: Readonly<Record<string, HistoryMessage['status']>> = {
  pending: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
};

/** Reads one chunk: threads of several customers, or why there are none. Chunks come in any order. */
export function readChunk(chunk: unknown, value: unknown, now: Date): Entry {
  const [error] = array(member(chunk, 'errors')) ?? [];
  if (error !== undefined) {
    return { effects: [{ kind: 'history_state', progress: null, error: String(member(error, 'code') ?? '') }] };
  }
  const threads = array(member(chunk, 'threads'));
  if (threads === undefined) return undefined;
  const percent = Number(member(member(chunk, 'metadata'), 'progress') ?? Number.NaN);
  const progress = percent >= 0 && percent <= 100 ? Math.floor(percent) : null;
  return {
    effects: [
      ...threads.flatMap((thread) => readThread(thread, value, now)),
      ...(progress === null ? [] : [{ kind: 'history_state' as const, progress, error: null }]),
    ],
  };
}

function readThread(thread: unknown, value: unknown, now: Date): InboundEffect[] {
  const context = member(thread, 'context');
  const ids = idsIn([
    ...['wa_id', 'user_id'].map((name) => member(context, name)),
    ...['id', 'user_id'].map((name) => member(thread, name)),
  ]);
  // A group has another kind of id.
  if (!isSomebody(ids)) return [];
  const { contact } = customerOf({ from: ids.waId, from_user_id: ids.userId }, value);
  const customer = { ...ids, contact };
  const entries = array(member(thread, 'messages')) ?? [];
  const messages = entries.flatMap((entry) => readPast(entry, customer, value, now) ?? []);
  const changes = entries.flatMap((entry) => readPastChange(entry, customer, value, now) ?? []);
  // The oldest first: then each slice comes behind the one before it, whose messages keep their numbers.
  const inOrder = messages.toSorted((one, other) => +one.writtenAt - +other.writtenAt);
  return [
    ...slices(inOrder).map((some) => ({ kind: 'history' as const, messages: some })),
    ...slices(changes).map((some) => ({ kind: 'history_changes' as const, changes: some })),
  ];
}

/** Reads the file of a message of the past: the message itself, in place of its placeholder. Or a change of one. */
export function readPastMedia(entry: unknown, value: unknown, now: Date): Entry {
  const customer = customerOf(entry, value, isFromStore(entry, value) ? 'to' : 'from');
  if (!isSomebody(customer)) return undefined;
  const change = readPastChange(entry, customer, value, now);
  if (change) return { effect: { kind: 'history_changes', changes: [change] } };
  const message = readPast(entry, customer, value, now);
  return message ? { effect: { kind: 'history', messages: [message] } } : 'nothing';
}

/** Undefined for what is no message, and for one that never reached the customer. */
function readPast(entry: unknown, customer: NamedCustomer, value: unknown, now: Date): HistoryMessage | undefined {
  if (inboundKinds[kindOfContent(entry)].changes !== 'message') return undefined;
  const message = readMessage(entry, customer, now);
  const status = statusOf(entry, value);
  if (!message || !status) return undefined;
  return { ...message, ...(status !== 'received' && { isEcho: true }), status };
}

const ofMessages: ReadonlySet<string> = new Set(['reactions', 'text', 'revocation']);

/** Undefined for what is no reaction, edit or deletion, and for one that never reached the customer. */
function readPastChange(entry: unknown, customer: NamedCustomer, value: unknown, now: Date): MessageChange | undefined {
  const status = ofMessages.has(inboundKinds[kindOfContent(entry)].changes) ? statusOf(entry, value) : undefined;
  return status && readMessageChange(entry, customer, now, status === 'received' ? undefined : 'seller');
}

/** What had become of it. `received` is one of the customer. Undefined: it never reached the customer. */
function statusOf(entry: unknown, value: unknown): HistoryMessage['status'] | undefined {
  const context = member(entry, 'history_context');
  if (member(context, 'from_me') !== true && !isFromStore(entry, value)) return 'received';
  const word = text(member(context, 'status')).toLowerCase() || 'sent';
  return Object.hasOwn(statuses, word) ? statuses[word] : undefined;
}

function slices<T extends object>(all: readonly T[]): [T, ...T[]][] {
  const [first, ...rest] = all.slice(0, mostTogether);
  return first ? [[first, ...rest], ...slices(all.slice(mostTogether))] : [];
}
