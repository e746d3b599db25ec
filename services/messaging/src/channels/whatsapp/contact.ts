import { first, member, moment, text } from '../json.ts';
import { storable } from '../storable.ts';
import type { Entry } from './inbound-entry.ts';

const longestName = 200;

/**
 * Reads one entry of a webhook of the field `smb_app_state_sync`: a contact that a person added, changed or removed in the
 * address book of the WhatsApp Business app. The forms are those of Meta's reference (2026-11).
 */
export function readContact(entry: unknown, _value: unknown, now: Date): Entry {
  const contact = member(entry, 'contact');
  const action = text(member(entry, 'action'));
  if (text(member(entry, 'type')) !== 'contact' || (action !== 'add' && action !== 'remove')) return 'nothing';
  const phone = text(member(contact, 'phone_number')).replace(/^\+/, '');
  const names = ['full_name', 'first_name'].map((word) =>
    first(storable(text(member(contact, word))), longestName).trim(),
  );
  const name = action === 'remove' ? null : names.find((one) => one !== '');
  if (!/^[1-9][0-9]{7,14}$/.test(phone) || name === undefined) return 'nothing';
  const at = moment(member(member(entry, 'metadata'), 'timestamp'), now);
  return { effect: { kind: 'contact', at, phone, name } };
}
