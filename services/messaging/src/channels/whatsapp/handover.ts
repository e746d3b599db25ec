import { member, moment, object, text } from '../json.ts';
import { type Entry, idsIn, isSomebody } from './inbound-entry.ts';

// Reads webhooks of the field `messaging_handovers`: who answers a conversation has changed. The forms are those of Meta's
// reference (2026-09). A value is one entry, and names the number as its receiver.

/** The value as one with a list of entries. Undefined: it names no number. */
export function handoverOf(value: object): object | undefined {
  const metadata = object(member(value, 'recipient'));
  return metadata && { metadata, handovers: [value] };
}

/** Meta tells `control_passed` to who has the conversation from now on, and `control_taken` to who had it. */
const owners: Readonly<Record<string, 'store' | 'other'>> = { control_passed: 'store', control_taken: 'other' };

/** A change of a kind of later, or one that names no customer, says nothing. */
export function readHandover(entry: unknown, _value: unknown, now: Date): Entry {
  const type = text(member(entry, 'type'));
  const owner = Object.hasOwn(owners, type) ? owners[type] : undefined;
  const sender = member(entry, 'sender');
  const customer = idsIn(['phone_number', 'wa_id', 'user_id'].map((name) => member(sender, name)));
  if (owner === undefined || !isSomebody(customer)) return 'nothing';
  return { effect: { kind: 'handover', at: moment(member(entry, 'timestamp'), now), customer, owner } };
}
