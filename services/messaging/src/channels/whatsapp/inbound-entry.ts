import { type InboundKindName, inboundKindOf, inboundKinds } from '@mostrador/contracts';
import type { CustomerIds, InboundEffect, InboundMessage, MessageChange, OptOutWish } from '../channel-provider.ts';
import { array, first, identifier, known, member, moment, readName, text } from '../json.ts';
import { storable } from '../storable.ts';
import { readContent, readMedia } from './content.ts';
import { readStopButton } from './stop-button.ts';

const longestEmoji = 50;

/** An entry of a webhook: a message, effects, or `nothing`. Undefined: it cannot be read. */
export type Entry =
  | { readonly message: InboundMessage }
  | { readonly effect: InboundEffect }
  | { readonly effects: readonly InboundEffect[] }
  | 'nothing'
  | undefined;

/** Reads one entry of the `messages` of a webhook's value. `inboundKinds` decides what it is. */
export function readEntry(entry: unknown, value: unknown, now: Date): Entry {
  const kind = kindOf(entry, value);
  switch (inboundKinds[kind].changes) {
    case 'message': {
      const message = readMessage(entry, customerOf(entry, value), now);
      return message && { message };
    }
    case 'nothing':
      return 'nothing';
    case 'echo':
      return namesReceiver(entry) ? readEcho(entry, value, now) : 'nothing';
    case 'identity':
      return readIdentityChange(entry, now);
    case 'opt_out':
      return readPreference(entry, customerOf(entry, value), text(member(contentOf(entry), 'marketing')), now);
    default:
      return changing(readMessageChange(entry, customerOf(entry, value), now));
  }
}

/** Whether an entry says to whom it is: to a number, or to the id of a customer who hides it. */
const namesReceiver = (entry: unknown): boolean =>
  ['to', 'to_user_id'].some((name) => text(member(entry, name)) !== '');

/** Reads one entry of a webhook of the field `smb_message_echoes`: what a person did on the store's own telephone. */
export function readEcho(entry: unknown, value: unknown, now: Date): Entry {
  switch (inboundKinds[kindOfContent(entry)].changes) {
    case 'message': {
      const message = readMessage(entry, customerOf(entry, value, 'to'), now);
      return message && { message: { ...message, isEcho: true } };
    }
    case 'reactions':
    case 'text':
    case 'revocation':
      return changing(readMessageChange(entry, customerOf(entry, value, 'to'), now, 'seller'));
    default:
      return 'nothing';
  }
}

/** The kind of an entry: by who it is from and to whom, then by its type. */
function kindOf(entry: unknown, value: unknown): InboundKindName {
  return isFromStore(entry, value) ? 'echo' : kindOfContent(entry);
}

/** Whether the number of the store itself is the sender. */
export function isFromStore(entry: unknown, value: unknown): boolean {
  const digits = (from: unknown) => text(from).replaceAll(/\D/g, '');
  const own = digits(member(member(value, 'metadata'), 'display_phone_number'));
  return own !== '' && digits(member(entry, 'from')) === own;
}

export function kindOfContent(entry: unknown): InboundKindName {
  if ((member(entry, 'group_id') ?? null) !== null) return 'group';
  const content = contentOf(entry);
  const subtype = text(member(content, 'type'));
  const target = member(content, 'original_message_id') ?? member(content, 'message_id');
  return inboundKindOf({ type: text(member(entry, 'type')), subtype, namesMessage: typeof target === 'string' });
}

/** The member that is named like the type of the entry. */
const contentOf = (entry: unknown): unknown => member(entry, text(member(entry, 'type')));

const phoneId = /^[0-9]{5,20}$/;
/** A business-scoped user id: a country code, sometimes `ENT`, and up to 128 letters and digits. */
const businessScopedId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

export const idsIn = (places: readonly unknown[]): CustomerIds => {
  // Early versions send a number where later ones send its digits.
  const ids = places.map((place) => (typeof place === 'number' ? String(place) : text(place)));
  return {
    waId: ids.find((id) => phoneId.test(id)) ?? null,
    userId: ids.find((id) => businessScopedId.test(id)) ?? null,
  };
};
export const isSomebody = ({ waId, userId }: CustomerIds): boolean => waId !== null || userId !== null;

export type NamedCustomer = CustomerIds & { readonly contact: unknown };

/**
 * The customer whom the entry is from, or to. One with a username has no `from` and no `wa_id`, but the ids of the business
 * (`user_id`).
 */
export function customerOf(entry: unknown, value: unknown, side: 'from' | 'to' = 'from'): NamedCustomer {
  const { from, fromUser } = namesOf(entry, side);
  const contacts = array(member(value, 'contacts')) ?? [];
  const contact =
    contacts.find((one) => isOf(one, 'wa_id', from) || isOf(one, 'user_id', fromUser)) ??
    // `from` and `wa_id` may differ: a single contact is the customer of all entries, unless they are of several.
    (contacts.length === 1 && isOfOne(value) && contacts[0]);
  return { ...idsIn([member(contact, 'wa_id'), from, fromUser, member(contact, 'user_id')]), contact };
}

const lists = ['messages', 'message_echoes', 'calls', 'user_preferences', 'history'] as const;
const ofOne = new WeakMap<object, boolean>();

/** Whether all entries of a value that name a customer name the same one. */
function isOfOne(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const known =
    ofOne.get(value) ??
    namesSameCustomer(
      lists.flatMap((name) => array(member(value, name)) ?? []),
      value,
    );
  ofOne.set(value, known);
  return known;
}

function namesSameCustomer(entries: readonly unknown[], value: unknown): boolean {
  const met = new Set<string>();
  return entries
    .flatMap((entry) => array(member(entry, 'threads')) ?? [entry])
    .every((entry) => {
      const names = namesIn(entry, value);
      const isSame = met.size === 0 || names.length === 0 || names.some((name) => met.has(name));
      for (const name of names) met.add(name);
      return isSame;
    });
}

/** The names of the customer in an entry of any list: also a thread of the past, and what another sender wrote. */
function namesIn(entry: unknown, value: unknown): string[] {
  const isThread = array(member(entry, 'messages')) !== undefined;
  const [request, context] = [member(entry, 'message'), isThread && member(entry, 'context')];
  const { from, fromUser } = namesOf(entry, isFromStore(entry, value) ? 'to' : 'from');
  const places = [
    ...[from, fromUser, member(request, 'to'), member(request, 'recipient')],
    ...[isThread && member(entry, 'id'), member(context, 'wa_id'), member(context, 'user_id')],
  ];
  return places.map(text).filter((name) => name !== '');
}

/** The number and the user id by which an entry names its customer. */
const namesOf = (entry: unknown, side: 'from' | 'to') => ({
  from: text(member(entry, side)) || text(member(entry, 'wa_id')),
  fromUser: text(member(entry, `${side}_user_id`)) || text(member(entry, 'user_id')),
});

const isOf = (contact: unknown, name: string, id: string): boolean => id !== '' && text(member(contact, name)) === id;

/** Undefined for an entry without a usable id or sender. */
export function readMessage(entry: unknown, { contact, ...ids }: NamedCustomer, now: Date): InboundMessage | undefined {
  const providerMessageId = identifier(member(entry, 'id'));
  if (!providerMessageId || !isSomebody(ids)) return undefined;
  const kind = storable(text(member(entry, 'type'))).slice(0, 50) || 'unknown';
  const content = member(entry, kind);
  const profile = member(contact, 'profile');
  const username = readName(member(profile, 'username'));
  const optOut = kind === 'button' ? readStopButton(text(member(content, 'payload')), bodyOf(content)) : undefined;
  return {
    providerMessageId,
    ...ids,
    name: readName(member(profile, 'name')),
    ...(username && { username }),
    kind,
    body: storable(bodyOf(content)),
    ...known({
      content: readContent(kind, content, { referral: member(entry, 'referral'), context: member(entry, 'context') }),
      media: readMedia(kind, content),
      quotedId: identifier(member(member(entry, 'context'), 'id')),
    }),
    writtenAt: moment(member(entry, 'timestamp'), now),
    ...(optOut && { optOut }),
  };
}

/** The text of a message, from the first place that has one. Each kind of message has its own place. */
function bodyOf(content: unknown): string {
  const reply = member(content, 'button_reply') ?? member(content, 'list_reply') ?? member(content, 'nfm_reply');
  const places = [
    member(content, 'body'),
    member(content, 'caption'),
    member(content, 'text'),
    member(reply, 'title'),
    member(reply, 'body'),
  ];
  return places.map(text).find((found) => found !== '') ?? '';
}

const changing = (change: MessageChange | undefined): Entry => change && { effect: { kind: 'message', change } };

/** Undefined for an entry that does not name its message. */
export function readMessageChange(
  entry: unknown,
  { waId, userId }: CustomerIds,
  now: Date,
  by?: 'seller',
): MessageChange | undefined {
  const content = contentOf(entry);
  const eventId = identifier(member(entry, 'id'));
  const targetId = identifier(member(content, 'original_message_id') ?? member(content, 'message_id'));
  if (!eventId || !targetId) return undefined;
  const customer = { waId, userId };
  const about = {
    ...{ eventId, targetId, at: moment(member(entry, 'timestamp'), now) },
    ...(by && { by }),
    ...(isSomebody(customer) && { customer }),
  };
  switch (text(member(entry, 'type'))) {
    case 'reaction': {
      const emoji = first(storable(text(member(content, 'emoji'))), longestEmoji);
      return { ...about, kind: 'reaction', emoji: emoji || null };
    }
    case 'edit': {
      const edited = member(content, 'message');
      const body = bodyOf(contentOf(edited));
      // A caption may be removed. A text has something to say, so without one the edit is not understood.
      if (body === '' && (edited === undefined || text(member(edited, 'type')) === 'text')) return undefined;
      return { ...about, kind: 'edit', body: storable(body) };
    }
    case 'revoke':
      return { ...about, kind: 'revocation' };
    default:
      return undefined;
  }
}

/** A notice that a customer has another number or another user id. Older versions call the members otherwise. */
function readIdentityChange(entry: unknown, now: Date): { effect: InboundEffect } | undefined {
  const content = contentOf(entry);
  const eventId = identifier(member(entry, 'id'));
  const before = ['previous_user_id', 'previous_parent_user_id', 'customer'].map((name) => member(content, name));
  const after = ['wa_id', 'new_wa_id', 'user_id', 'parent_user_id'].map((name) => member(content, name));
  const to = idsIn(after);
  // `from` is the number before the change.
  const from = idsIn([member(entry, 'from'), ...before]);
  const at = moment(member(entry, 'timestamp'), now);
  if (!eventId || !isSomebody(from) || !isSomebody(to)) return undefined;
  return { effect: { kind: 'identity', change: { eventId, at, from, to } } };
}

const wants: Readonly<Record<string, OptOutWish['want']>> = { stop: 'stop', resume: 'start' };

/** What a customer set in WhatsApp about marketing messages. */
function readPreference(
  entry: unknown,
  { waId, userId }: CustomerIds,
  word: string,
  now: Date,
): { effect: InboundEffect } | undefined {
  const want = Object.hasOwn(wants, word) ? wants[word] : undefined;
  const customer = { waId, userId };
  if (!want || !isSomebody(customer)) return undefined;
  const at = moment(member(entry, 'timestamp'), now);
  return { effect: { kind: 'opt_out', at, customer, wish: { want, scope: 'marketing' } } };
}

/** Reads one entry of a webhook of the field `user_preferences`. Another category says nothing that we know. */
export function readPreferenceEntry(entry: unknown, value: unknown, now: Date): Entry {
  if (text(member(entry, 'category')) !== 'marketing_messages') return 'nothing';
  return readPreference(entry, customerOf(entry, value), text(member(entry, 'value')), now);
}
