import { member, moment, readName, text } from '../json.ts';
import type { Entry } from './inbound-entry.ts';

/**
 * Reads one entry of a webhook of the field `smb_app_state_sync`: a contact that a person added, changed or removed in the
 * address book of the WhatsApp Business app. The forms are those of Meta's reference (2026-11).
 */
export function readContact(entry: unknown, _value: unknown, now: Date): Entry {
  const contact = member(entry, 'contact');
  const action = text(member(entry, 'action'));
  if (text(member(entry, 'type')) !== 'contact' || (action !== 'add' && action !== 'remove')) return 'nothing';
  const phone = text(member(contact, 'phone_number')).replace(/^\+/, '');
  const name =
    action === 'remove' ? null : (readName(member(contact, 'full_name')) ?? readName(member(contact, 'first_name')));
  if (!/^[1-9][0-9]{7,14}$/.test(phone) || (name === null && action === 'add')) return 'nothing';
  const at = moment(member(member(entry, 'metadata'), 'timestamp'), now);
  return { effect: { kind: 'contact', at, phone, name } };
}
