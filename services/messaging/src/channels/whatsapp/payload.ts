import type { InboundMessage, Notification, ReceivedStatusUpdate } from '../channel-provider.ts';
import { storable } from '../storable.ts';
import { failureOf } from './errors.ts';

const longestBody = 4096;
const longestName = 200;

/**
 * Reads a WhatsApp webhook (Cloud API, `field: messages`). A batch comes in three nested arrays. The reader skips
 * values of another number and entries that are unknown or malformed, and still returns the others.
 */
export function readNotification(payload: unknown, phoneNumberId: string, now = new Date()): Notification {
  const values = list(member(payload, 'entry'))
    .flatMap((entry) => list(member(entry, 'changes')))
    .filter((change) => member(change, 'field') === 'messages')
    .map((change) => member(change, 'value'))
    .filter((value) => text(member(member(value, 'metadata'), 'phone_number_id')) === phoneNumberId);
  const messages = values.flatMap((value) =>
    list(member(value, 'messages')).map((one) => readMessage(one, value, now)),
  );
  const statuses = values.flatMap((value) => list(member(value, 'statuses')).map((one) => readStatus(one, now)));
  return {
    messages: messages.filter((one) => one !== undefined),
    statuses: statuses.filter((one) => one !== undefined),
  };
}

function readMessage(message: unknown, value: unknown, now: Date): InboundMessage | undefined {
  const providerMessageId = identifier(member(message, 'id'));
  const from = text(member(message, 'from'));
  const contacts = list(member(value, 'contacts'));
  // `from` and `wa_id` may differ. With a single contact, that contact is the sender.
  const contact = contacts.find((one) => text(member(one, 'wa_id')) === from) ?? (contacts.length === 1 && contacts[0]);
  const waId = text(member(contact, 'wa_id')) || from;
  if (!providerMessageId || !/^[0-9]{5,20}$/.test(waId)) return undefined;
  const kind = storable(text(member(message, 'type'))).slice(0, 50) || 'unknown';
  const name = storable(text(member(member(contact, 'profile'), 'name'))).trim();
  return {
    providerMessageId,
    waId,
    name: first(name, longestName).trim() || null,
    kind,
    body: first(storable(bodyOf(member(message, kind))), longestBody),
    writtenAt: moment(member(message, 'timestamp'), now),
  };
}

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

/** Undefined for an entry without a usable id, and for a status that says nothing about delivery. */
function readStatus(status: unknown, now: Date): ReceivedStatusUpdate | undefined {
  const providerMessageId = identifier(member(status, 'id'));
  const word = text(member(status, 'status'));
  if (!providerMessageId || !reported.has(word)) return undefined;
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

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const identifier = (value: unknown): string => {
  const id = storable(text(value));
  return id.length <= 512 ? id : '';
};
/** The first `length` characters. It never splits a surrogate pair. */
const first = (value: string, length: number): string =>
  value.length <= length ? value : Array.from(value).slice(0, length).join('');
