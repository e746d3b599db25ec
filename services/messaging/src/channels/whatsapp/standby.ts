import type { InboundMessage } from '../channel-provider.ts';
import { member, object, text } from '../json.ts';
import { type Entry, readEcho, readEntry } from './inbound-entry.ts';

// Reads webhooks of the field `standby`: a conversation that another sender of the number holds, such as Meta Business
// Agent. The forms are those of Meta's reference (2026-11). A value has the same lists as one of the field `messages`, one
// level deeper.

/** The value with its lists in place. Undefined: it has none. */
export function standbyOf(value: object): object | undefined {
  const standby = object(member(value, 'standby'));
  return standby && { ...standby, metadata: member(value, 'metadata') };
}

export const readStandbyEntry = (entry: unknown, value: unknown, now: Date): Entry =>
  onStandby(readEntry(entry, value, now));

/** Reads what the other sender wrote. Its `message` is the request that it sent to the provider. */
export function readStandbyEcho(echo: unknown, value: unknown, now: Date): Entry {
  const message = object(member(echo, 'message'));
  if (message === undefined) return undefined;
  const [to, recipient] = ['to', 'recipient'].map((name) => member(message, name));
  const entry = {
    ...asText(message),
    id: member(echo, 'id'),
    timestamp: member(echo, 'timestamp'),
    to_user_id: recipient,
    context: { id: member(member(message, 'context'), 'message_id') },
    ...(member(message, 'recipient_type') === 'group' && { group_id: to ?? recipient }),
  };
  return onStandby(readEcho(entry, value, now));
}

/** A request without a type is a text. One with buttons or a list is shown as the text above them. */
function asText(message: object): object {
  const type = text(member(message, 'type')) || 'text';
  if (type !== 'interactive') return { ...message, type };
  const body = member(member(member(message, 'interactive'), 'body'), 'text');
  return { ...message, type: 'text', text: { body } };
}

const onStandby = (found: Entry): Entry =>
  typeof found === 'object' && 'message' in found
    ? { message: { ...found.message, isOnStandby: true } satisfies InboundMessage }
    : found;
