import { member, moment, text } from '../json.ts';
import { customerOf, type Entry, isSomebody } from './inbound-entry.ts';

// Reads webhooks of the field `calls`. The forms are those of Meta's reference of user-initiated calls (2026-06). Its page of
// service messages says that the 24 hours begin when a user "messages you or calls you". It asks for no answer, so a missed
// call counts, too. A number that uses SIP gets no webhooks of calls.

/** A call counts when the customer places it, so the end of one says nothing, nor does a call of the store. */
export function readCall(entry: unknown, value: unknown, now: Date): Entry {
  const isPlaced = text(member(entry, 'event')) === 'connect' && text(member(entry, 'direction')) === 'USER_INITIATED';
  if (!isPlaced) return 'nothing';
  const { waId, userId } = customerOf(entry, value);
  const customer = { waId, userId };
  if (!isSomebody(customer)) return undefined;
  return { effect: { kind: 'call', at: moment(member(entry, 'timestamp'), now), customer } };
}
