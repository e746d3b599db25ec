import type { MessagePricing } from '@mostrador/contracts';
import type { CustomerIds, InboundEffect, Notification, ReceivedStatusUpdate } from '../channel-provider.ts';
import { array, first, identifier, known, member, moment, object, text } from '../json.ts';
import { storable } from '../storable.ts';
import { readCall } from './call.ts';
import { readContact } from './contact.ts';
import { failureOf } from './errors.ts';
import { handoverOf, readHandover } from './handover.ts';
import { readChunk, readPastMedia } from './history.ts';
import { type Entry, idsIn, readEcho, readEntry, readPreferenceEntry } from './inbound-entry.ts';
import { marketOf } from './market.ts';
import { readStandbyEcho, readStandbyEntry, standbyOf } from './standby.ts';

/** The fields that are read: their members with entries, and what reads each entry. */
const readersOf = {
  messages: { messages: readEntry },
  smb_message_echoes: { message_echoes: readEcho },
  standby: { messages: readStandbyEntry, message_echoes: readStandbyEcho },
  messaging_handovers: { handovers: readHandover },
  calls: { calls: readCall },
  history: { history: readChunk, messages: readPastMedia },
  smb_app_state_sync: { state_sync: readContact },
  user_preferences: { user_preferences: readPreferenceEntry },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Reader>>>>;
type Reader = (entry: unknown, value: unknown, now: Date) => Entry;
type Field = keyof typeof readersOf;
const isRead = (field: string | undefined): field is Field => field !== undefined && Object.hasOwn(readersOf, field);

/** The fields whose values have other forms: what makes one with lists of entries, and the number. */
const formsOf: Partial<Record<Field, (value: object) => object | undefined>> = {
  standby: standbyOf,
  messaging_handovers: handoverOf,
};

/** Fields that tell of the account. What changed is read from the account, because these come late and in any order. */
const aboutAccount: ReadonlySet<string> = new Set([
  'account_alerts',
  'account_review_update',
  'account_update',
  'business_capability_update',
  'business_status_update',
  'phone_number_name_update',
  'phone_number_quality_update',
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
]);

/**
 * Reads a WhatsApp webhook (Cloud API, fields `messages`, `smb_message_echoes`, `standby`, `messaging_handovers`, `calls`,
 * `history`, `smb_app_state_sync` and `user_preferences`, and those about the account). A batch comes in three nested arrays.
 * The reader skips other fields, and what says nothing that counts. It counts what it cannot read, and still returns the
 * rest. An entry of another number counts as unreadable, because this channel is not the place for it.
 *
 * @param now when the webhook arrived, so that a stored one is always read alike
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

  let changesAccount = false;
  const values = listIn(payload, 'entry')
    .flatMap((entry) => listIn(entry, 'changes'))
    .flatMap((change) => {
      const field = fieldOf(change);
      if (field !== undefined && aboutAccount.has(field)) changesAccount = true;
      if (!isRead(field)) return [];
      const value = object(member(change, 'value'));
      const form = formsOf[field];
      return readable(value && form ? form(value) : value).map((value) => ({ field, value }));
    });
  const isOurs = (value: object) => text(member(member(value, 'metadata'), 'phone_number_id')) === phoneNumberId;
  const entries = values.flatMap(({ field, value }) =>
    Object.entries<Reader>(readersOf[field]).flatMap(([name, read]) =>
      optionalListIn(value, name).flatMap((one) =>
        readable<Exclude<Entry, undefined>>(isOurs(value) ? read(one, value, now) : undefined),
      ),
    ),
  );
  // The statuses and errors of a call are none of a message.
  const ofMessages = values.filter(({ field, value }) => field !== 'calls' && isOurs(value));
  const statuses = ofMessages.flatMap(({ value }) =>
    optionalListIn(value, 'statuses').flatMap((one) => readable(readStatus(one, value, now))),
  );
  const faults = ofMessages.flatMap(({ value }) =>
    (array(member(value, 'errors')) ?? []).flatMap((one) => readFault(one, now)),
  );
  const effects = [
    ...entries.flatMap((one) => (typeof one === 'object' && 'effect' in one ? [one.effect] : [])),
    ...entries.flatMap((one) => (typeof one === 'object' && 'effects' in one ? one.effects : [])),
    ...faults,
    ...(changesAccount ? [{ kind: 'account' as const }] : []),
  ];
  return {
    messages: entries.flatMap((one) => (typeof one === 'object' && 'message' in one ? [one.message] : [])),
    statuses: statuses.filter((one) => one !== 'skipped'),
    ...(effects.length > 0 && { effects }),
    unreadable,
  };
}

/** An error that is of no message counts if it is the fault of the channel. It has no time. */
function readFault(posted: unknown, at: Date): InboundEffect[] {
  const code = codeOf(member(posted, 'code'));
  const error = code === undefined ? undefined : failureOf(code);
  return error?.ofChannel ? [{ kind: 'fault', at, error }] : [];
}

const reported: ReadonlySet<string> = new Set(['sent', 'delivered', 'read', 'failed']);

/** Undefined for an entry without a usable id or status. Skips a status that says nothing about delivery. */
function readStatus(status: unknown, value: unknown, now: Date): ReceivedStatusUpdate | 'skipped' | undefined {
  const providerMessageId = identifier(member(status, 'id'));
  const word = text(member(status, 'status'));
  if (!providerMessageId || !word) return undefined;
  if (!reported.has(word)) return 'skipped';
  const [error] = array(member(status, 'errors')) ?? [];
  const code = codeOf(member(error, 'code'));
  return {
    providerMessageId,
    callbackData: identifier(member(status, 'biz_opaque_callback_data')) || null,
    status: word as ReceivedStatusUpdate['status'],
    at: moment(member(status, 'timestamp'), now),
    ...known({
      pricing: readPricing(member(status, 'pricing')),
      recipient: phoneOf(member(status, 'recipient_id')) ?? marketOf(text(member(status, 'recipient_user_id'))),
      customer: receiverOf(status, value),
    }),
    ...(word === 'failed' && code !== undefined ? { error: failureOf(code) } : {}),
  };
}

/** Who got the message, by both ids: of the status itself, or of its contact. Null: only one is told. */
function receiverOf(status: unknown, value: unknown): CustomerIds | null {
  const [number, user] = ['recipient_id', 'recipient_user_id'].map((name) => text(member(status, name)));
  const isTheirs = (contact: unknown) =>
    (number !== '' && text(member(contact, 'wa_id')) === number) ||
    (user !== '' && text(member(contact, 'user_id')) === user);
  const contact = (array(member(value, 'contacts')) ?? []).find(isTheirs);
  const ids = idsIn([number, user, member(contact, 'wa_id'), member(contact, 'user_id')]);
  return ids.waId === null || ids.userId === null ? null : ids;
}

const phoneOf = (id: unknown): string | null => (/^[0-9]{5,20}$/.test(text(id)) ? text(id) : null);

const longestWord = 50;

/** What WhatsApp bills. Older versions leave the type out, later ones may leave out whether it is billable. */
function readPricing(pricing: unknown): MessagePricing | null {
  const word = (name: string) => first(storable(text(member(pricing, name))), longestWord) || null;
  const [category, type, billable] = [word('category'), word('type'), member(pricing, 'billable')];
  if (category === null || (typeof billable !== 'boolean' && type === null)) return null;
  return {
    category,
    billable: typeof billable === 'boolean' ? billable : type === 'regular',
    type,
    model: word('pricing_model'),
    amount: null,
    currency: null,
  };
}

/** An error code; undefined for what is none. Not by `Number` alone, which makes 0 of much: that is the code of a bad token. */
const codeOf = (code: unknown): number | undefined => {
  const digits = typeof code === 'number' ? String(code) : text(code);
  return /^[0-9]{1,15}$/.test(digits) ? Number(digits) : undefined;
};
