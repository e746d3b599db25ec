import type { InboundMessage, Notification, ReceivedStatusUpdate } from '../channel-provider.ts';
import { storable } from '../storable.ts';
import { failureOf } from './errors.ts';

const longestBody = 4096;
const longestName = 200;

/** What a webhook contains of one kind. `unreadable` counts the entries that should be of this kind and are not. */
type Read<T> = { readonly found: readonly T[]; readonly unreadable: number };

/**
 * Reads a WhatsApp webhook (Cloud API, `field: messages`). A batch comes in three nested arrays. The reader skips other
 * fields and what says nothing about a message. It counts what it cannot read, and still returns the rest. A message to
 * another number counts as unreadable, because this channel is not the place for it.
 */
export function readNotification(payload: unknown, phoneNumberId: string, now = new Date()): Notification {
  const entries = listIn(payload, 'entry');
  const changes = joined(entries.found.map((entry) => listIn(entry, 'changes')));
  const fields = eachOf(changes.found, (change) => text(member(change, 'field')) || undefined);
  const values = eachOf(
    changes.found.filter((change) => member(change, 'field') === 'messages'),
    (change) => object(member(change, 'value')),
  );
  const isOurs = (value: object) => text(member(member(value, 'metadata'), 'phone_number_id')) === phoneNumberId;
  const messages = joined(
    values.found.map((value) => {
      const posted = optionalListIn(value, 'messages');
      return and(posted, (one) => (isOurs(value) ? readMessage(one, value, now) : undefined));
    }),
  );
  const statuses = joined(
    values.found.filter(isOurs).map((value) => and(optionalListIn(value, 'statuses'), (one) => readStatus(one, now))),
  );
  return {
    messages: messages.found,
    statuses: statuses.found.filter((one) => one !== 'skipped'),
    unreadable: [entries, changes, fields, values, messages, statuses].reduce((sum, read) => sum + read.unreadable, 0),
  };
}

const phoneId = /^[0-9]{5,20}$/;
/** A business-scoped user id: a country code, sometimes `ENT`, and up to 128 letters and digits. */
const businessScopedId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/**
 * Undefined for an entry without a usable id or sender. A customer with a username has no `from` and no `wa_id`, but
 * the ids of the business (`user_id`).
 */
function readMessage(message: unknown, value: unknown, now: Date): InboundMessage | undefined {
  const providerMessageId = identifier(member(message, 'id'));
  const from = text(member(message, 'from'));
  const fromUser = text(member(message, 'from_user_id'));
  const contacts = list(member(value, 'contacts'));
  // `from` and `wa_id` may differ. With a single contact, that contact is the sender.
  const contact =
    contacts.find((one) => isOf(one, 'wa_id', from) || isOf(one, 'user_id', fromUser)) ??
    (contacts.length === 1 && contacts[0]);
  const ids = [member(contact, 'wa_id'), from, fromUser, member(contact, 'user_id')].map(text);
  const waId = ids.find((id) => phoneId.test(id)) ?? null;
  const userId = ids.find((id) => businessScopedId.test(id)) ?? null;
  if (!providerMessageId || (waId === null && userId === null)) return undefined;
  const kind = storable(text(member(message, 'type'))).slice(0, 50) || 'unknown';
  const name = storable(text(member(member(contact, 'profile'), 'name'))).trim();
  return {
    providerMessageId,
    waId,
    userId,
    name: first(name, longestName).trim() || null,
    kind,
    body: first(storable(bodyOf(member(message, kind))), longestBody),
    writtenAt: moment(member(message, 'timestamp'), now),
  };
}

const isOf = (contact: unknown, name: string, id: string): boolean => id !== '' && text(member(contact, name)) === id;

/** The text of a message, from the first place that has one. Each kind of message has its own place. */
function bodyOf(content: unknown): string {
  const reply = member(content, 'button_reply') ?? member(content, 'list_reply') ?? member(content, 'nfm_reply');
  const places = [
    member(content, 'body'),
    member(content, 'caption'),
    member(content, 'text'),
    member(content, 'emoji'),
    member(reply, 'title'),
    member(reply, 'body'),
  ];
  return places.map(text).find((found) => found !== '') ?? '';
}

const reported: ReadonlySet<string> = new Set(['sent', 'delivered', 'read', 'failed']);

/** Undefined for an entry without a usable id or status. Skips a status that says nothing about delivery. */
function readStatus(status: unknown, now: Date): ReceivedStatusUpdate | 'skipped' | undefined {
  const providerMessageId = identifier(member(status, 'id'));
  const word = text(member(status, 'status'));
  if (!providerMessageId || !word) return undefined;
  if (!reported.has(word)) return 'skipped';
  const [error] = list(member(status, 'errors'));
  const code = Number(member(error, 'code'));
  return {
    providerMessageId,
    callbackData: identifier(member(status, 'biz_opaque_callback_data')) || null,
    status: word as ReceivedStatusUpdate['status'],
    at: moment(member(status, 'timestamp'), now),
    ...(word === 'failed' && Number.isSafeInteger(code) ? { error: failureOf(code) } : {}),
  };
}

/** Parses Unix seconds in a string. A missing, malformed or future time becomes `now`. */
function moment(timestamp: unknown, now: Date): Date {
  const seconds = Number(timestamp);
  const isSane = Number.isFinite(seconds) && seconds > 0 && seconds * 1000 <= now.getTime();
  return isSane ? new Date(seconds * 1000) : now;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** The elements of the array `name`. Anything else in its place counts as one unreadable entry. */
function listIn(value: unknown, name: string): Read<unknown> {
  const found = member(value, name);
  return Array.isArray(found) ? { found, unreadable: 0 } : { found: [], unreadable: 1 };
}

const optionalListIn = (value: object, name: string): Read<unknown> =>
  Object.hasOwn(value, name) ? listIn(value, name) : { found: [], unreadable: 0 };

/** Reads each element. An element that `read` returns undefined for is unreadable. */
function eachOf<From, To>(elements: readonly From[], read: (element: From) => To | undefined): Read<To> {
  const found = elements.map(read).filter((one) => one !== undefined);
  return { found, unreadable: elements.length - found.length };
}

function and<From, To>({ found, unreadable }: Read<From>, read: (element: From) => To | undefined): Read<To> {
  const next = eachOf(found, read);
  return { ...next, unreadable: unreadable + next.unreadable };
}

const joined = <T>(reads: readonly Read<T>[]): Read<T> => ({
  found: reads.flatMap(({ found }) => found),
  unreadable: reads.reduce((sum, { unreadable }) => sum + unreadable, 0),
});

const object = (value: unknown): object | undefined =>
  typeof value === 'object' && value !== null ? value : undefined;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const identifier = (value: unknown): string => {
  const id = storable(text(value));
  return id.length <= 512 ? id : '';
};
/** The first `length` characters. It never splits a surrogate pair. */
const first = (value: string, length: number): string =>
  value.length <= length ? value : Array.from(value).slice(0, length).join('');
