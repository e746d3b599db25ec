import type { Message } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { categoryName } from '../reports/categories.ts';
import { moneyText } from '../ui/numbers.ts';

const states: Readonly<Record<Message['status'], () => string>> = {
  received: m.inbox_status_received,
  queued: m.inbox_status_queued,
  sending: m.inbox_status_sending,
  unknown: m.inbox_status_unknown,
  sent: m.inbox_status_sent,
  delivered: m.inbox_status_delivered,
  read: m.inbox_status_read,
  failed: m.inbox_status_failed,
  cancelled: m.inbox_status_cancelled,
};
export const wordsOfStatus = (status: Message['status']): string => states[status]();

/** Why a message was not sent, and what to do. */
const failures: Readonly<Record<string, () => string>> = {
  messaging_window_closed: m.inbox_fail_window,
  lead_opted_out: m.inbox_fail_opted_out,
  channel_not_connected: m.inbox_fail_channel,
  lead_not_found: m.inbox_fail_lead,
  lead_replied: m.inbox_fail_replied,
  not_sent_in_time: m.inbox_fail_late,
  sandbox_unreachable: m.inbox_fail_unreachable,
  whatsapp_131026: m.inbox_fail_number,
  whatsapp_131049: m.inbox_fail_policy,
  whatsapp_130497: m.inbox_fail_policy,
  whatsapp_131050: m.inbox_fail_stopped,
  whatsapp_368: m.inbox_fail_locked,
  whatsapp_131031: m.inbox_fail_locked,
  whatsapp_132000: m.inbox_fail_template_values,
  whatsapp_132012: m.inbox_fail_template_values,
  whatsapp_132001: m.inbox_fail_template_missing,
  whatsapp_132015: m.inbox_fail_template_off,
  whatsapp_132016: m.inbox_fail_template_off,
};

export const wordsOfFailure = (code: string, reason: string): string =>
  failures[code]?.() ?? m.inbox_fail_other({ reason: reason || code });

/** What WhatsApp bills for a message. */
export function wordsOfPrice({ category, billable, amount, currency }: NonNullable<Message['pricing']>): string {
  const name = categoryName(category);
  if (!billable) return m.inbox_price_free({ category: name });
  const isKnown = amount != null && currency != null;
  return isKnown ? `${name}: ${moneyText(amount, currency)}` : m.inbox_price_billed({ category: name });
}

type Type = NonNullable<Message['type']>;

const types: Readonly<Record<Type, () => string>> = {
  text: m.inbox_no_text,
  image: m.inbox_type_image,
  audio: m.inbox_type_audio,
  video: m.inbox_type_video,
  document: m.inbox_type_document,
  sticker: m.inbox_type_sticker,
  location: m.inbox_type_location,
  contacts: m.inbox_type_contacts,
  interactive_reply: m.inbox_type_interactive_reply,
  order: m.inbox_type_order,
  template: m.inbox_type_template,
  unsupported: m.inbox_no_text,
};
/** What a message is. `isVoice`: a sound that was recorded in the chat. */
export const wordsOfType = (type: Type, isVoice = false): string =>
  type === 'audio' && isVoice ? m.inbox_type_voice() : types[type]();

const replies: Readonly<Record<NonNullable<NonNullable<Message['content']>['kind']>, () => string>> = {
  button: m.inbox_reply_button,
  list: m.inbox_reply_list,
  flow: m.inbox_reply_flow,
};
/** What the customer tapped or filled in. */
export const wordsOfReply = (kind: keyof typeof replies): string => replies[kind]();

type Previewed = Pick<Message, 'body' | 'type'> &
  Partial<Pick<Message, 'media' | 'revoked_at'>> & { readonly voice?: boolean };

/** The text of a message, or what it is when it has none. */
export const previewOf = ({ body, type = 'text', media, voice, revoked_at }: Previewed): string =>
  revoked_at ? m.inbox_deleted_text() : body.trim() || wordsOfType(type, voice ?? media?.voice);
