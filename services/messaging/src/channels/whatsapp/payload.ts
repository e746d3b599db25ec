import type { InboundMessage, Notification, ReceivedStatusUpdate } from '../channel-provider.ts';
import { storable } from '../storable.ts';
import { failureOf } from './errors.ts';

const longestBody = 4096;
const longestName = 200;

/**
 * Reads a WhatsApp webhook (Cloud API, `field: messages`). A batch comes in three nested arrays. The reader skips other
 * fields and what says nothing about a message. It counts what it cannot read, and still returns the rest. A message to
 * another number counts as unreadable, because this channel is not the place for it.
 */
export function readNotification(payload: unknown, phoneNumberId: string, now = new Date()): Notification {
  let unreadable = 0;
  /** The one element as a list. Undefined counts as unreadable, and the list is empty. */
  const readable = <T>(one: T | undefined): readonly T[] => {
    if (one !== undefined) return [one];
    unreadable += 1;
    return [];
  };
  const listIn = (value: unknown, name: string) => readable(array(member(value, name))).flat();
  const fieldOf = (change: unknown) => readable(text(member(change, 'field')) || undefined)[0];
  const optionalListIn = (value: object, name: string) => (Object.hasOwn(value, name) ? listIn(value, name) : []);

  const values = listIn(payload, 'entry')
    .flatMap((entry) => listIn(entry, 'changes'))
    .filter((change) => fieldOf(change) === 'messages')
    .flatMap((change) => readable(object(member(change, 'value'))));
  const isOurs = (value: object) => text(member(member(value, 'metadata'), 'phone_number_id')) === phoneNumberId;
  const messages = values.flatMap((value) =>
    optionalListIn(value, 'messages').flatMap((one) =>
      readable(isOurs(value) ? readMessage(one, value, now) : undefined),
    ),
  );
  const statuses = values
    .filter(isOurs)
    .flatMap((value) => optionalListIn(value, 'statuses').flatMap((one) => readable(readStatus(one, now))));
  return { messages, statuses: statuses.filter((one) => one !== 'skipped'), unreadable };
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
  const contacts = array(member(value, 'contacts')) ?? [];
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
  const [error] = array(member(status, 'errors')) ?? [];
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

const object = (value: unknown): object | undefined =>
  typeof value === 'object' && value !== null ? value : undefined;
const array = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const identifier = (value: unknown): string => {
  const id = storable(text(value));
  return id.length <= 512 ? id : '';
};
/** The first `length` characters. It never splits a surrogate pair. */
const first = (value: string, length: number): string =>
  value.length <= length ? value : Array.from(value).slice(0, length).join('');
