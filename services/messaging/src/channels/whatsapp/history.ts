import { inboundKinds } from '@mostrador/contracts';
import type { HistoryMessage, InboundEffect } from '../channel-provider.ts';
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
} from './inbound-entry.ts';

// Reads webhooks of the field `history`: what was written in the WhatsApp Business app in the six months before the number
// was connected. The forms are those of Meta's reference of coexistence (2026-11).

/** The most messages that one transaction stores. It locks the id of each, and PostgreSQL has room for some thousand locks. */
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
  const messages = (array(member(thread, 'messages')) ?? []).flatMap(
    (entry) => readPast(entry, { ...ids, contact }, value, now) ?? [],
  );
  // The oldest first: then each slice comes behind the one before it, whose messages keep their numbers.
  const inOrder = messages.toSorted((one, other) => +one.writtenAt - +other.writtenAt);
  return slices(inOrder).map((some) => ({ kind: 'history', messages: some }));
}

/** Reads the file of a message of the past: the message itself, in place of its placeholder. */
export function readPastMedia(entry: unknown, value: unknown, now: Date): Entry {
  const customer = customerOf(entry, value, isFromStore(entry, value) ? 'to' : 'from');
  if (!isSomebody(customer)) return undefined;
  const message = readPast(entry, customer, value, now);
  return message ? { effect: { kind: 'history', messages: [message] } } : 'nothing';
}

/** Undefined for what is no message, and for one that never reached the customer. */
function readPast(entry: unknown, customer: NamedCustomer, value: unknown, now: Date): HistoryMessage | undefined {
  if (inboundKinds[kindOfContent(entry)].changes !== 'message') return undefined;
  const message = readMessage(entry, customer, now);
  if (!message) return undefined;
  const context = member(entry, 'history_context');
  if (member(context, 'from_me') !== true && !isFromStore(entry, value)) return { ...message, status: 'received' };
  const word = text(member(context, 'status')).toLowerCase() || 'sent';
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  return status && { ...message, isEcho: true, status };
}

function slices(messages: readonly HistoryMessage[]): [HistoryMessage, ...HistoryMessage[]][] {
  const [first, ...rest] = messages.slice(0, mostTogether);
  return first ? [[first, ...rest], ...slices(messages.slice(mostTogether))] : [];
}
